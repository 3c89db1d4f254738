/** An id as the page has it, of a class of its own: the id tools give its prototype a property. */
export class Wid {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}
