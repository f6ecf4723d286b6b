// The run of the one batch whose documents are held, as far as their sheet needs it.
import type { HeldBatches } from '../../../../activities/share/receipt/held/held-batches';
import { type ManyAnswers, QUESTION_CHANGED } from '../../../../workflows/ingest/answer-contract';
import type { HeldDocument } from '../../../../workflows/ingest/ingest-contract';

type Answer = ManyAnswers['answers'][number];

/**
 * Refuses a document's whole answer where a value is wrong, or where something else is asked than it says;
 * what it takes is held no longer.
 */
export class FakeHeldRun implements HeldBatches {
  held: HeldDocument[] = [];
  isAway = false;
  /** One list for each update, without the question that each answer is for. */
  readonly answers: (readonly Answer[])[] = [];
  readonly #whyNot: (values: NonNullable<Answer['values']>) => string | undefined;

  constructor(whyNot: (values: NonNullable<Answer['values']>) => string | undefined) {
    this.#whyNot = whyNot;
  }

  async ask() {
    return this.isAway ? undefined : { held: this.held, inLine: [] };
  }

  async answer(_batch: unknown, { answers }: ManyAnswers) {
    if (this.isAway) throw new Error('away');
    this.answers.push(answers.map(({ asked: _asked, ...said }) => said));
    const refused = answers.flatMap(({ documents: [document], values = {}, asked }) => {
      const held = this.held.find(({ path }) => path === document);
      const isAsked = held?.question === asked?.question && held?.reason.text === asked?.reason;
      const why = isAsked ? this.#whyNot(values) : QUESTION_CHANGED;
      return why === undefined ? [] : [{ document: String(document), why }];
    });
    const names = new Set(refused.map(({ document }) => document));
    const taken = answers.map(({ documents }) => String(documents[0])).filter(path => !names.has(path));
    this.held = this.held.filter(({ path }) => !taken.includes(path));
    return { taken, refused };
  }
}
