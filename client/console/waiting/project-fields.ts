// The fields of a share's project, as a worker has kept them on the share; asks for newer ones while people
// look.
import type { Client } from '@temporalio/client';
import type { KeptField, KeptFields } from '../../../activities/share/register/kept-fields';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import type { KeepFieldsInput } from '../../../workflows/template/keep-fields-contract';
import type { ProjectFieldOf } from '../contract/waiting';
import type { ConsoleShare } from '../serve/module';

const OLD_AFTER_MS = 10 * 60_000;
const ASK_EVERY_MS = 60_000;
const READ_EVERY_MS = 5_000;
/** While there are none, and somebody waits for them. */
const READ_SOON_MS = 500;
/** When the run times out: a worker of an older release does not know its workflow. */
const GIVEN_UP_AFTER = '10 minutes';

interface Seen {
  readonly kept: KeptFields | undefined;
  readonly readAtMs: number;
}

export class ProjectFields {
  readonly #temporal: () => Promise<Client>;
  readonly #nowMs: () => number;
  readonly #onNew: () => void;
  readonly #seen = new Map<string, Seen>();
  readonly #askedAtMs = new Map<string, number>();

  /** @param onNew called once the fields are known: rows of documents are told by them from then on. */
  constructor(temporal: () => Promise<Client>, nowMs: () => number, onNew: () => void) {
    this.#temporal = temporal;
    this.#nowMs = nowMs;
    this.#onNew = onNew;
  }

  /** As they lie on the share; undefined where there are none, or it cannot be read. */
  async read({ config, share }: ConsoleShare): Promise<KeptFields | undefined> {
    const seen = this.#seen.get(config.name);
    const everyMs = seen?.kept === undefined ? READ_SOON_MS : READ_EVERY_MS;
    if (seen !== undefined && this.#nowMs() - seen.readAtMs < everyMs) return seen.kept;
    const kept = await share?.readFields().catch(() => seen?.kept);
    this.#seen.set(config.name, { kept: kept ?? seen?.kept, readAtMs: this.#nowMs() });
    const isNew = seen !== undefined && kept !== undefined && seen.kept === undefined;
    if (isNew) this.#onNew();
    return kept ?? seen?.kept;
  }

  /**
   * The same for somebody who is about to answer: what is old is asked for anew, and what there is is
   * shown.
   */
  async look(share: ConsoleShare): Promise<KeptFields | undefined> {
    const kept = await this.read(share);
    if (this.#nowMs() - (kept?.askedAt.getTime() ?? 0) > OLD_AFTER_MS) this.#ask(share);
    return kept;
  }

  #ask({ config: { name, project } }: ConsoleShare): void {
    const nowMs = this.#nowMs();
    if (nowMs - (this.#askedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < ASK_EVERY_MS) return;
    this.#askedAtMs.set(name, nowMs);
    const input: KeepFieldsInput = { share: name };
    const start = async () => {
      const client = await this.#temporal();
      await client.workflow.start('keepFieldsWorkflow', {
        workflowId: `fields/${project.projectId}/${name}`,
        taskQueue: SERVICE_TASK_QUEUE,
        args: [input],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowExecutionTimeout: GIVEN_UP_AFTER,
        staticSummary: `Fields of the project of share ${name}`,
        memo: { share: name },
      });
    };
    // Temporal is away: whoever looks next asks again.
    start().catch(() => this.#askedAtMs.delete(name));
  }
}

export function toShownField(field: KeptField): ProjectFieldOf {
  const { name, label, isPeople, required, requiredByType, requiredByFields, given } = field;
  return {
    name,
    label,
    takes: takesOf(field),
    isPeople,
    required,
    requiredByType: [...requiredByType],
    requiredByFields: [...requiredByFields],
    isForced: given?.isForced === true,
    values: listActive(field),
  };
}

/** Two of one label cannot be told apart by it: people are offered the first alone. */
function listActive({ values }: KeptField): { label: string; code: string }[] {
  const active = new Map<string, { label: string; code: string }>();
  for (const { label, code, active: isActive } of values)
    if (isActive && label.trim() !== '' && !active.has(label)) active.set(label, { label, code });
  return [...active.values()];
}

export function takesOf({ type, isPeople }: Pick<KeptField, 'type' | 'isPeople'>): ProjectFieldOf['takes'] {
  switch (type) {
    case 'lov_entry':
      return 'one-of';
    case 'reference':
      return isPeople ? 'many-of' : 'one-of';
    case 'lov_entries':
      return 'many-of';
    case 'numeric':
      return 'number';
    case 'timestamp':
      return 'date';
    default:
      return 'text';
  }
}
