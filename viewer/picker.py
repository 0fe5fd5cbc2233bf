"""The dialog that opens a file: the folders and files of a folder, a row each."""

import os
from dataclasses import replace

from viewer.effects import ListFolder, OpenFile
from viewer.events import FolderListed, Key
from viewer.model import Model, Picker

_STEPS = {"up": -1, "down": 1, "page up": -10, "page down": 10}


def open_picker(model: Model) -> Model:
    """Opens the dialog, with the folder that it showed last, or the current one."""
    folder = os.curdir if model.folder is None else model.folder
    model = replace(model, picker=Picker(folder), menu=None, shows_help=False, focus=None)
    return model.with_effect(ListFolder(folder))


def folder_listed(model: Model, event: FolderListed) -> Model:
    """Shows what a folder holds; the folder of an earlier request is ignored."""
    if model.picker is None:
        return model
    if event.error:
        return replace(model, picker=replace(model.picker, error=event.error))
    picker = Picker(event.folder, event.entries)
    return replace(model, picker=picker, folder=event.folder)


def on_key(model: Model, picker: Picker, key: Key) -> Model:
    """Selects a row, opens it, goes to the folder above, or closes the dialog."""
    match key.name:
        case "escape":
            return replace(model, picker=None, focus=None)
        case "backspace" | "left":
            return model.with_effect(ListFolder(os.path.join(picker.folder, os.pardir)))
        case "return" | "right" if picker.entries:
            return choose(model, picker, picker.row)
        case name if name in _STEPS:
            return move(model, picker, _STEPS[name])
    return model


def move(model: Model, picker: Picker, step: int) -> Model:
    """Selects another row, so many further down."""
    row = max(min(picker.row + step, len(picker.entries) - 1), 0)
    return replace(model, picker=replace(picker, row=row))


def choose(model: Model, picker: Picker, row: int) -> Model:
    """Enters the folder, or opens the file, of a row."""
    entry = picker.entries[row]
    path = os.path.join(picker.folder, entry.name)
    if entry.is_folder:
        selected = replace(picker, row=row, error="")
        return replace(model, picker=selected).with_effect(ListFolder(path))
    return replace(model, picker=None, focus=None).with_effect(OpenFile(path))
