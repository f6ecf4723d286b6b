// What the patterns and registers of a share call the fields of its project. The workers ask the service,
// and what it responds is kept on the share: so a worker that is started while the service is away knows
// the fields as well, and so does a process that never asks it.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { BatchPolicy } from '../../../workflows/ingest/ingest-contract';
import type { Clock } from '../../host/clock';
import type { KnownField } from '../../registers/column-words';
import { isSameProject, projectSchema } from '../batch/manifest';
import { DocumentWords } from '../drop/document-words';
import { type MarkKind, NOT_OURS, type OnNotOurs, readMark, toMarkText } from '../files/own-marks';
import type { ShareLayout } from '../files/share-layout';
import { writeOver } from '../files/write-whole';

/** Asks the service for the fields that a sheet can give; others see to it that this costs few requests. */
export type AskFields = () => Promise<readonly KnownField[]>;

interface ProjectWordsDeps {
  readonly policy: Pick<BatchPolicy, 'register'>;
  readonly layout: () => ShareLayout;
  readonly onNotOurs: OnNotOurs;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Absent in a process that does not ask the service. */
  readonly askFields?: AskFields | undefined;
}

/** A batch does not wait longer for the service, which may be away for days. */
const MOST_WAIT_MS = 5_000;
/** What was not had from the service is looked for again after this. */
const REST_MS = 60_000;

const text = z.string().max(10_000);
const labelsSchema = z.strictObject({
  version: z.literal(1),
  project: projectSchema,
  fields: z
    .array(z.strictObject({ name: text, label: text }))
    .max(10_000)
    .readonly(),
});
const LABELS: MarkKind<z.output<typeof labelsSchema>> = {
  kind: 'fields',
  label: 'The labels of the project’s fields',
  schema: labelsSchema,
};

export class ProjectWords {
  readonly #deps: ProjectWordsDeps;
  #fields: readonly KnownField[] | undefined;
  #words: DocumentWords;
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ProjectWordsDeps) {
    this.#deps = deps;
    this.#words = new DocumentWords(deps.policy.register);
  }

  /** The same object until the fields are others. @throws ShareError while the share is away. */
  async read(): Promise<DocumentWords> {
    const { clock } = this.#deps;
    if (clock.monotonicMs() < this.#restUntilMs) return this.#words;
    const asked = await this.#ask();
    if (asked === undefined) {
      this.#use((await this.#readKept()) ?? this.#fields);
      this.#restUntilMs = clock.monotonicMs() + REST_MS;
    } else if (!isDeepStrictEqual(asked, this.#fields)) {
      await this.#keep(asked);
      this.#use(asked);
    }
    return this.#words;
  }

  #use(fields: readonly KnownField[] | undefined): void {
    if (isDeepStrictEqual(fields, this.#fields)) return;
    this.#fields = fields;
    this.#words = new DocumentWords({ ...this.#deps.policy.register, fields });
  }

  /** Undefined where the service does not say it, or not soon. */
  async #ask(): Promise<readonly KnownField[] | undefined> {
    const asking = this.#deps
      .askFields?.()
      .then(fields => fields.map(({ name, label }) => ({ name, label })))
      // What is wrong with the service is told by those who cannot go on without it.
      .catch(() => undefined);
    if (asking === undefined) return undefined;
    const ended = new AbortController();
    const late = delay(MOST_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    try {
      return await Promise.race([asking, late]);
    } finally {
      ended.abort();
    }
  }

  async #readKept(): Promise<readonly KnownField[] | undefined> {
    const { fs, seals, own, project } = this.#deps.layout();
    const kept = await readMark(fs, seals, LABELS, placeOf(own), 'labels', this.#deps.onNotOurs);
    if (kept === undefined || kept === NOT_OURS) return undefined;
    return isSameProject(kept.project, project) ? kept.fields : undefined;
  }

  async #keep(fields: readonly KnownField[]): Promise<void> {
    if (isDeepStrictEqual(fields, await this.#readKept())) return;
    const { fs, seals, own, project } = this.#deps.layout();
    const { companyId, projectId } = project;
    const value = { version: 1 as const, project: { companyId, projectId }, fields };
    try {
      await fs.makeFolders(own, join(own, FOLDER));
      await writeOver(fs, placeOf(own), toMarkText(seals, LABELS, 'labels', value), join(own, FOLDER));
    } catch {
      // A full share keeps no batch from being compared: who looks next keeps them.
    }
  }
}

const FOLDER = 'fields';

function placeOf(own: string): string {
  return join(own, FOLDER, 'labels.json');
}
