// Positions: a grid of what is seen, and the number of mines; their text, their JSON, and their link.

export const HIDDEN = -1;
export const FLAG = -2;

const LETTERS = { [HIDDEN]: "H", [FLAG]: "F" };
const SYMBOLS = { H: HIDDEN, h: HIDDEN, ".": HIDDEN, "?": HIDDEN, F: FLAG, f: FLAG };
for (let n = 0; n <= 8; n++) {
  LETTERS[n] = String(n);
  SYMBOLS[n] = n;
}

export const MAX_SIDE = 128;

export class Position {
  constructor(rows, cols, mines, cells) {
    this.rows = rows;
    this.cols = cols;
    this.mines = mines;
    this.cells = cells || new Array(rows * cols).fill(HIDDEN);
  }

  rowTexts() {
    const texts = [];
    for (let r = 0; r < this.rows; r++) {
      const row = this.cells.slice(r * this.cols, (r + 1) * this.cols);
      texts.push(row.map((value) => LETTERS[value]).join(""));
    }
    return texts;
  }

  toText() {
    return [`${this.cols}x${this.rows}x${this.mines}`, ...this.rowTexts()].join("\n") + "\n";
  }

  toJson() {
    return { rows: this.rows, cols: this.cols, mines: this.mines, board: this.rowTexts() };
  }

  // Runs of equal cells, each with its length if that is not 1; a to i are 0 to 8.
  toLink() {
    const letters = this.cells.map((value) => (value < 0 ? LETTERS[value] : "abcdefghi"[value]));
    const runs = letters.join("").replace(/(.)\1+/g, (run, letter) => run.length + letter);
    return `${this.cols}x${this.rows}x${this.mines}-${runs}`;
  }

  with(cell, value) {
    const cells = this.cells.slice();
    cells[cell] = value;
    return new Position(this.rows, this.cols, this.mines, cells);
  }

  // The same position on a board of another size; cells keep their row and column.
  resized(rows, cols, mines) {
    const other = new Position(rows, cols, mines);
    for (let r = 0; r < Math.min(rows, this.rows); r++)
      for (let c = 0; c < Math.min(cols, this.cols); c++)
        other.cells[r * cols + c] = this.cells[r * this.cols + c];
    return other;
  }
}

function sized(rows, cols, mines) {
  if (!(rows >= 1 && cols >= 1 && rows <= MAX_SIDE && cols <= MAX_SIDE))
    throw new Error(`a board has 1 to ${MAX_SIDE} rows and columns here`);
  if (!(mines >= 0 && mines <= rows * cols)) throw new Error(`${mines} mines do not fit`);
  return new Position(rows, cols, mines);
}

export function fromLink(text) {
  const match = /^(\d{1,4})x(\d{1,4})x(\d{1,6})-((?:\d*[a-iHF])*)$/.exec(text);
  if (!match) throw new Error("this link does not carry a position");
  const position = sized(Number(match[2]), Number(match[1]), Number(match[3]));
  let letters = "";
  for (const [, length, letter] of match[4].matchAll(/(\d*)([a-iHF])/g)) {
    if (Number(length) > position.cells.length) break;
    letters += letter.repeat(length === "" ? 1 : Number(length));
  }
  if (letters.length !== position.cells.length)
    throw new Error("this link carries a position that is cut off");
  const numbers = "abcdefghi"; // Of which f and h are letters of the text form, too.
  position.cells = [...letters].map((letter) =>
    numbers.includes(letter) ? numbers.indexOf(letter) : SYMBOLS[letter]);
  return position;
}

const FIRST_LINE = /^\s*(\d{1,4})\s*[xX×]\s*(\d{1,4})\s*[xX×]\s*(\d{1,6})\s*$/;

// Reads one position or more: texts one after the other, or a JSON array of texts and objects. Where
// one of several is wrong, the error says which.
export function fromTexts(text) {
  let texts = [];
  if (text.trimStart().startsWith("[")) texts = parsed(text).map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  else if (text.trimStart().startsWith("{")) texts = [text];
  else
    for (const line of text.split(/\r?\n/).filter((one) => one.trim()))
      if (!texts.length || FIRST_LINE.test(line)) texts.push(line);
      else texts[texts.length - 1] += `\n${line}`;
  return texts.map((one, i) => {
    try {
      return fromText(one);
    } catch (error) {
      if (texts.length > 1) error.message = `position ${i + 1}, ${error.message}`;
      throw error;
    }
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("JSON that cannot be read: is it complete?");
  }
}

// Reads the text form, or the JSON form; throws an error that names the line.
export function fromText(text) {
  if (text.trimStart().startsWith("{")) {
    const { rows, cols, mines, board } = parsed(text);
    if (!Array.isArray(board)) throw new Error("JSON: expected rows, cols, mines and board");
    return fromText([`${cols}x${rows}x${mines}`, ...board].join("\n"));
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const match = FIRST_LINE.exec(lines[0] || "");
  if (!match) throw new Error("line 1: expected COLSxROWSxMINES, such as 30x16x99");
  const position = sized(Number(match[2]), Number(match[1]), Number(match[3]));
  if (lines.length !== position.rows + 1)
    throw new Error(`line 1 promises ${position.rows} rows, but ${lines.length - 1} follow`);
  for (let r = 0; r < position.rows; r++) {
    const symbols = [...lines[r + 1]].filter((symbol) => symbol.trim());
    if (symbols.length !== position.cols)
      throw new Error(`line ${r + 2}: ${symbols.length} cells, not ${position.cols}`);
    symbols.forEach((symbol, c) => {
      if (SYMBOLS[symbol] === undefined)
        throw new Error(`line ${r + 2}, column ${c + 1}: "${symbol}" is no cell`);
      position.cells[r * position.cols + c] = SYMBOLS[symbol];
    });
  }
  return position;
}
