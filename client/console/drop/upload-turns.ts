// Which browser window sends an upload just now. Two at once would cut each other off again and again, so the
// second one is refused until its person says that it goes on. From then on the first one is refused.
import { ConsoleProblem } from '../serve/module';
import { texts } from '../texts/texts';

/** After so long without any bytes, whichever window comes may go on. */
const QUIET_MS = 10_000;

interface Turn {
  readonly window: string;
  readonly atMs: number;
}

export class UploadTurns {
  /** By upload, the one that moved last at the end. */
  readonly #turns = new Map<string, Turn>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Something of it comes from that window. @throws ConsoleProblem 423 while another one sends it. */
  take(upload: string, window: string): void {
    const turn = this.#turns.get(upload);
    if (turn !== undefined && turn.window !== window && this.isMoving(upload))
      throw new ConsoleProblem(423, texts.drop.otherWindow);
    this.takeOver(upload, window);
  }

  takeOver(upload: string, window: string): void {
    this.#turns.delete(upload);
    this.#turns.set(upload, { window, atMs: this.#nowMs() });
    // Those that no longer move keep nobody out, and are forgotten: some uploads are never ended.
    for (const [other] of this.#turns) {
      if (this.isMoving(other)) break;
      this.#turns.delete(other);
    }
  }

  isMoving(upload: string): boolean {
    return this.#nowMs() - (this.#turns.get(upload)?.atMs ?? Number.NEGATIVE_INFINITY) < QUIET_MS;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#turns.size;
  }

  /** It was sent, or given up. */
  end(upload: string): void {
    this.#turns.delete(upload);
  }
}
