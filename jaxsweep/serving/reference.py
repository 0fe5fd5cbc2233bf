"""The API as a page for people, made from its OpenAPI description."""

import json
import re
from html import escape

from jaxsweep.serving.schemas import Schema

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-top: 1px solid #8888; padding-top: 1rem; }
h2 code { font-size: 1.1em; }
pre { background: #8882; padding: .6rem .8rem; border-radius: .4rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8885; padding: .3rem .6rem .3rem 0; vertical-align: top; }
th { text-align: left; font-weight: 600; }
"""

EXAMPLES = {
    "/analyze": "curl --data-binary @position.txt {server}/analyze",
    "/analyze/cell": "curl --data-binary @position.txt '{server}/analyze/cell?row=3&col=4'",
    "/boards": 'curl --json \'{{"level": "expert", "start": "zero"}}\' {server}/boards',
    "/convert": "curl --data-binary @game.avf '{server}/convert?to=evf' --output game.evf",
    "/deal": "curl '{server}/deal?level=expert&seed=3'",
    "/watch": "curl --no-buffer '{server}/watch?level=expert&seed=3&player=strongest'",
    "/about": "curl {server}/about",
}
"""How each path is asked; the others take a game."""

GAME = "curl --data-binary @game.avf {server}"


def reference(api: Schema, server: str) -> str:
    """Returns the page in HTML; `server` is the address that examples name."""
    title = f"{api['info']['title']} over HTTP"
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{escape(api['info']['description'])} Answers are JSON; what is wrong is said in a "
        'sentence, <code>{"error": "…"}</code>. Rows and columns count from 0, top left. '
        '<a href="openapi.json">openapi.json</a> is the same for programs, and '
        '<a href="./">the page</a> for people.</p>',
    ]
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            parts += _operation(path, method.upper(), operation, server)
    parts.append("<h2>What is sent and answered</h2>")
    for name, schema in api["components"]["schemas"].items():
        parts += [f'<h3 id="{name}">{name}</h3>', *_schema(schema)]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="stylesheet" href="docs.css"></head>\n'
        f"<body><main>\n{chr(10).join(parts)}\n</main></body></html>\n"
    )


def _operation(path: str, method: str, operation: Schema, server: str) -> list[str]:
    example = EXAMPLES.get(path, GAME + path).format(server=server)
    parts = [
        f"<h2><code>{method} {path}</code></h2>",
        f"<p>{escape(operation['summary'])}</p>",
        f"<pre>{escape(example)}</pre>",
        f"<p>{_prose(operation.get('description', ''))}</p>",
    ]
    rows = [
        (field["name"], _kind(field["schema"]), field.get("description", ""))
        for field in operation.get("parameters", [])
    ]
    if rows:
        parts.append(_table(("parameter", "what", "meaning"), rows))
    if "requestBody" in operation:
        body = operation["requestBody"]
        kinds = {_kind(content["schema"]): None for content in body["content"].values()}
        parts.append(f"<p>Body: {', or '.join(kinds)}. {_prose(body.get('description', ''))}</p>")
    answers = [
        (
            status,
            ", or ".join({_kind(c["schema"]): None for c in answer["content"].values()}),
            answer["description"],
        )
        for status, answer in operation["responses"].items()
    ]
    return [*parts, _table(("status", "what", "meaning"), answers)]


def _schema(schema: Schema) -> list[str]:
    said = schema.get("description")
    parts = [f"<p>{_prose(said)}</p>"] if said else []
    if "properties" in schema:
        rows = [
            (name, _kind(part), part.get("description", ""))
            for name, part in schema["properties"].items()
        ]
        parts.append(_table(("field", "what", "meaning"), rows))
    else:
        parts.append(f"<p>{_kind(schema)}</p>")
    examples = schema.get("examples", [])
    return parts + [f"<pre>{escape(_shown(example))}</pre>" for example in examples]


def _prose(text: str) -> str:
    """Returns a text in HTML; what is between back quotes is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _shown(example: object) -> str:
    return example.strip() if isinstance(example, str) else json.dumps(example)


def _kind(schema: Schema) -> str:
    """Says in HTML what a schema allows."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return escape(", ".join(map(str, schema["enum"])))
    if "const" in schema:
        return escape(str(schema["const"]))
    if schema["type"] == "array":
        inner = _kind(schema["items"])
        return f"list of ({inner})" if " or " in inner else f"list of {inner}"
    low, high = schema.get("minimum"), schema.get("maximum")
    between = f" {low} to {high}" if None not in (low, high) else ""
    return "bytes" if schema.get("format") == "binary" else f"{schema['type']}{between}"


def _table(heads: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    """Returns a table; the second column is HTML, and the others text."""
    cells = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{kind}</td><td>{escape(said)}</td></tr>\n"
        for name, kind, said in rows
    )
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{cells}</tbody></table>"
