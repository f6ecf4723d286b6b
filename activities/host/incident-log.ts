// What has begun and is not over yet, so that each trouble is told when it begins and when it is over, and
// not with every attempt between. Who tells it, and in which words, is for those who keep such a log.

export class IncidentLog<Subject = string> {
  /** What was told last of each that is open. */
  readonly #open = new Map<Subject, string>();

  /** Whether that is news: it was not open, or was told for another reason. */
  begins(subject: Subject, why = ''): boolean {
    const isNews = this.#open.get(subject) !== why;
    this.#open.set(subject, why);
    return isNews;
  }

  /** Whether that is news: it was open. */
  ends(subject: Subject): boolean {
    return this.#open.delete(subject);
  }

  isOpen(subject: Subject): boolean {
    return this.#open.has(subject);
  }

  /** Forgets all others in silence: what they were about is gone. */
  keepOnly(subjects: ReadonlySet<Subject>): void {
    for (const subject of this.#open.keys()) if (!subjects.has(subject)) this.#open.delete(subject);
  }
}
