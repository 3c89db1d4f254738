/** A channel. Its author is not visible. */
export interface Newsletter {
  readonly kind: 'newsletter';
  /** `<18 digits>@newsletter` */
  readonly id: string;
  readonly name: string;
}

/** The channels that have ever been named. */
export class Newsletters {
  readonly #newsletters = new Map<string, Newsletter>();

  get(id: string): Newsletter {
    const present = this.#newsletters.get(id);
    if (present) return present;
    const newsletter: Newsletter = { kind: 'newsletter', id, name: `Channel ${id.slice(14, 18)}` };
    this.#newsletters.set(id, newsletter);
    return newsletter;
  }
}
