// A game move by move, complete or still being played: what is seen of each cell after any move.

import { FLAG, HIDDEN, Position } from "./position.js";
import { numbersOf } from "./rules.js";

export class Recording {
  // `game` has the fields of a replay, perhaps without `moves` and `outcome` yet.
  constructor(game, reasons) {
    this.game = game;
    this.reasons = reasons;
    this.rows = game.rows;
    this.cols = game.cols;
    this.numbers = numbersOf(game);
    this.openedAt = new Array(this.numbers.length).fill(Infinity);
    this.flaggedAt = this.numbers.map(() => []);
    this.moves = [];
    this.survival = [1];
    this.outcome = "playing";
    this.isComplete = false;
    for (const move of game.moves || []) this.add(move);
    if (game.survival) this.survival = game.survival;
    if (game.outcome) this.end(game.outcome);
    if (game.grades) this.grade(game.grades);
  }

  // Grades, as `grade --json` has them: the chance to win before the first move and after each, and
  // what is known of a move, such as its risk where the replay does not say it.
  grade(found) {
    this.graded = found;
    this.gradeOf = new Map(found.moves.map((one) => [this.moves[one.index - 1], one]));
    this.chances = [found.win_before];
    for (const move of this.moves)
      this.chances.push(this.gradeOf.has(move) ? this.gradeOf.get(move).win_after : this.chances.at(-1));
  }

  add(move) {
    this.moves.push(move);
    const when = this.moves.length, before = this.survival[when - 1];
    for (const cell of move.opened) this.openedAt[cell] = when;
    for (const cell of move.flags || []) this.flaggedAt[cell].push(when);
    const risk = move.cells.length ? move.risk : 0;
    this.survival.push(before === null || risk === null ? null : before * (1 - risk));
  }

  end(outcome) {
    this.outcome = outcome;
    this.isComplete = true;
  }

  get outcomeInWords() {
    return { won: "✓ won", lost: "✕ lost", playing: "unfinished" }[this.outcome];
  }

  isOverAt(when) {
    return this.isComplete && when === this.moves.length && this.outcome !== "playing";
  }

  isGuess(move) {
    const grade = this.gradeOf?.get(move);
    return grade ? grade.kind === "forced" || grade.kind === "needless" : this.reasons[move.reason].guess;
  }

  riskOf(move) { return move.risk ?? this.gradeOf?.get(move)?.risk ?? null; }

  // Of having survived, or, where there are grades, of winning; null where it is not known.
  get curve() { return this.chances || this.survival; }

  guessesUpTo(when) { return this.moves.slice(0, when).filter((move) => this.isGuess(move)).length; }

  // The moves before the next guess; -1 if there is none.
  nextGuess(now) { return this.moves.findIndex((move, i) => i > now && this.isGuess(move)); }

  isFlagged(cell, when) { return this.flaggedAt[cell].filter((n) => n <= when).length % 2 === 1; }

  flagsAt(when) { return this.numbers.filter((_, cell) => this.isFlagged(cell, when)).length; }

  // After the end all mines are seen: as flags, where the game is won.
  stateOf(cell, when) {
    const mine = this.numbers[cell] === null;
    if (this.openedAt[cell] <= when) return mine ? "exploded" : String(this.numbers[cell]);
    if (this.isFlagged(cell, when)) return this.isOverAt(when) && !mine ? "wrong" : "flag";
    if (!mine || !this.isOverAt(when)) return "hidden";
    return this.outcome === "won" ? "flag" : "mine";
  }

  // The odds before the next move, from 0 to 1, if it was a guess; they are listed for hidden cells.
  oddsAt(when) {
    const odds = this.moves[when]?.odds;
    if (!odds) return null;
    let next = 0;
    return this.openedAt.map((opened) => (opened > when ? odds[next++] / 10000 : null));
  }

  announcement(move) {
    const risk = this.riskOf(move);
    return this.reasons[move.reason].text + (risk > 0 ? `, risk ${(100 * risk).toFixed(1)}\u00a0%` : "");
  }

  // What a move was; of a graded one that was not certain, what it did to the chance to win.
  sentence(move) {
    const grade = this.gradeOf?.get(move);
    return grade && grade.kind !== "certain" ? grade.text : `Last: ${this.announcement(move)}.`;
  }

  // The fields of a replay of this game.
  toReplay() {
    const { game, moves, outcome } = this;
    return { format: "jaxsweep-replay", version: 1, ...game, moves, outcome, seconds: null };
  }

  position(when) {
    const seen = new Position(this.rows, this.cols, this.game.mines);
    seen.cells = this.numbers.map((_, cell) => {
      const state = this.stateOf(cell, when);
      return /^\d$/.test(state) ? Number(state) : state === "flag" ? FLAG : HIDDEN;
    });
    return seen;
  }

  // The strategy that played, or the person, if the game is graded and its file has a name; or null.
  get player() {
    const { strategy } = this.game, { player } = this.graded || {};
    return [strategy, player].find((name) => name && name !== "human") || null;
  }

  title() {
    const { mines, start, seed, game, seconds } = this.game;
    return `${this.player || "by hand"}, ${this.rows}×${this.cols} with ${mines} mines, ${start} start`
      + (seed === null || seed === undefined ? "" : `, seed ${seed}`) + (game ? `, game ${game}` : "")
      + (seconds ? `, ${seconds.toFixed(1)} s` : "");
  }
}
