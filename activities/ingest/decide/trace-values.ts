// Who gave which value of a document that has been planned: for the receipt, nothing is looked up again.
import type { RegisterInput, SaidOfDocument, ValueSource } from '../../../workflows/ingest/ingest-contract';
import { mergeValues } from './merge-values';
import { type Resolver, resolveValues } from './plan-document';
import type { ProjectRules } from './project-rules';
import { NO_ROW, type ReadableRegister, readEntry } from './read-entry';

export interface TracedItem<Item> {
  /** With the name that a register or the share gives. */
  readonly item: Item;
  /** Of each field that somebody gave a value for. */
  readonly sources: ReadonlyMap<string, ValueSource>;
  readonly leftEmpty: ReadonlySet<string>;
}

/** Texts as they were given: what they mean was looked up when the document was planned. */
const AS_GIVEN: Resolver = (_, text) => ({ kind: 'resolved', value: text });

export function traceValues<Item extends SaidOfDocument>(
  rules: ProjectRules,
  registers: readonly ReadableRegister[],
  { forced = {}, register }: RegisterInput,
  item: Item,
): TracedItem<Item> {
  const header = item.entry === undefined ? undefined : registers[item.entry.register];
  const row =
    header === undefined || register === undefined
      ? NO_ROW
      : readEntry(rules, header, item.entry?.row, register.rules, AS_GIVEN);
  const merged = mergeValues(rules, item, row, resolveValues(rules, forced, AS_GIVEN), AS_GIVEN);
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const [name] = merged.writes.find(({ fieldId }) => fieldId === nameId)?.values ?? [];
  return {
    item: name === undefined ? item : { ...item, values: { ...item.values, name } },
    sources: merged.sources,
    leftEmpty: new Set(merged.leftEmpty),
  };
}
