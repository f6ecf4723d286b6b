// What is written to each document, what is missing, and what is impossible: known before a byte is sent.
import type { ValuesByField } from '../../../workflows/contract';
import type { FieldWrite } from '../../../workflows/ingest/ingest-contract';
import type { NotShown, Resolution } from '../../host/resolve-value';
import { findField } from '../../registers/column-words';
import {
  type ApplicableRequirement,
  chooseRequirement,
  listMissing,
  listOvertaking,
} from './choose-requirement';
import { explainUnknownField, explainValue, type ValueProblem } from './explain-value';
import {
  ANALYSIS_FIELD_NAMES,
  type FieldLabel,
  type FieldValues,
  type ProjectField,
  type ProjectRules,
  type Requirement,
  WORKFLOW_FIELD_NAMES,
} from './project-rules';
import { takesSeveral } from './resolve-text';

export interface ResolvedValues {
  /** Each field once. */
  readonly writes: readonly FieldWrite[];
  /** `fieldId`: the field that a value was meant for, where there is one. */
  readonly problems: readonly (ValueProblem & { readonly fieldId?: string })[];
  /** Ids of fields that no default may fill. */
  readonly leftEmpty?: readonly string[];
}

export interface DocumentPlan {
  /** Written when the file is linked: what people said, and defaults nothing else can fill. */
  readonly now: readonly FieldWrite[];
  /** The name that people give: written once the upload was seen to be this file's. */
  readonly name?: FieldWrite;
  /** Something is still to come from the service (analysis, naming standard) or to be decided after it. */
  readonly needsAnalysis: boolean;
  /** Required, without a value, and nothing in sight that could fill it. */
  readonly hopeless: readonly FieldLabel[];
  readonly problems: readonly ValueProblem[];
  readonly notices: readonly string[];
}

/**
 * Looks a person's text up in the field's list. Throws for a text that was not prepared (`listWanted`): a bug
 * of the caller.
 */
export type Resolver = (field: ProjectField, text: string) => Resolution | NotShown;

/** Every (field, text) pair that must be looked up before values can be resolved, each once. */
export function listWanted(
  rules: ProjectRules,
  valueSets: readonly ValuesByField[],
): readonly { field: ProjectField; text: string }[] {
  const wanted = new Map<string, { field: ProjectField; text: string }>();
  for (const values of valueSets) {
    for (const [nameOrLabel, value] of Object.entries(values)) {
      const field = findField(rules.fields, nameOrLabel);
      if (field === undefined || WORKFLOW_FIELD_NAMES.has(field.name)) continue;
      for (const text of toTexts(value)) wanted.set(`${field.id}\n${text}`, { field, text });
    }
  }
  return [...wanted.values()];
}

/**
 * Turns values by field name or label into writes; whatever cannot be written comes back as a problem. Blank
 * values say nothing. Of several values for one field (by its name and by its label) the last counts: sources
 * of values are merged lowest first.
 */
export function resolveValues(rules: ProjectRules, values: ValuesByField, resolve: Resolver): ResolvedValues {
  const writes: FieldWrite[] = [];
  const problems: (ValueProblem & { fieldId?: string })[] = [];
  const given = new Map<string, { field: ProjectField; texts: readonly string[] }>();
  for (const [nameOrLabel, value] of Object.entries(values)) {
    const texts = toTexts(value);
    if (texts.length === 0) continue;
    const field = findField(rules.fields, nameOrLabel);
    if (field === undefined || WORKFLOW_FIELD_NAMES.has(field.name)) {
      problems.push(explainUnknownField(nameOrLabel, rules.fields));
    } else {
      given.set(field.id, { field, texts });
    }
  }
  for (const { field, texts } of given.values()) {
    const { resolved, wrong } = resolveTexts(field, texts, resolve);
    if (wrong.length === 0) writes.push({ fieldId: field.id, values: resolved });
    else problems.push(...wrong.map(reason => ({ ...reason, fieldId: field.id })));
  }
  return { writes, problems };
}

/** What is known of a document before it is sent, and what could become known later. */
export interface Weighed {
  /** `now` is written at once, `later` where nobody else has filled the field. The name is in neither. */
  readonly now: readonly FieldWrite[];
  readonly later: readonly FieldWrite[];
  /** The values that it has in any case. */
  readonly known: FieldValues;
  /** Fields that the service itself may fill. */
  readonly fillable: ReadonlySet<string>;
  /** The requirement that applies by the known values. */
  readonly applicable: ApplicableRequirement;
  /** Requirements that would apply instead, if the service found the right values. */
  readonly overtaking: readonly Requirement[];
}

/**
 * Explicit values are written at once; a default is written at once only where neither analysis nor a naming
 * standard could fill the field, because defaults come last (they may fill only what is still empty).
 */
export function weighDocument(
  rules: ProjectRules,
  document: { readonly mimeType: string; readonly fileName: string },
  explicit: ResolvedValues,
  defaults: ResolvedValues,
): Weighed {
  const fillable = listFillable(rules, document.mimeType);
  const taken = takenBy(explicit);
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const open = defaults.writes.filter(({ fieldId }) => !taken.has(fieldId) && fieldId !== nameId);
  const atOnce = open.filter(write => !fillable.has(write.fieldId));
  const later = open.filter(write => fillable.has(write.fieldId));
  // The name is written after the upload was read: what the service has there
  // tells whose file it takes it for.
  const now = [...explicit.writes.filter(({ fieldId }) => fieldId !== nameId), ...atOnce];
  const known = toFieldValues([...now, ...planName(rules, document.fileName, explicit)]);
  return {
    now,
    later,
    known,
    fillable,
    applicable: chooseRequirement(rules, known),
    overtaking: listOvertaking(rules, known, fillable),
  };
}

export function planDocument(
  rules: ProjectRules,
  document: { readonly mimeType: string; readonly fileName: string },
  explicit: ResolvedValues,
  defaults: ResolvedValues,
): DocumentPlan {
  const { now, later, known, fillable, applicable, overtaking } = weighDocument(
    rules,
    document,
    explicit,
    defaults,
  );
  const taken = takenBy(explicit);
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const missing = listMissing(applicable, known);
  const withDefaults = chooseRequirement(
    rules,
    toFieldValues([...known].map(([fieldId, values]) => ({ fieldId, values })).concat(later)),
  );
  const name = explicit.writes.find(({ fieldId }) => fieldId === nameId);
  return {
    now,
    ...(name === undefined ? {} : { name }),
    // A default that waits for the analysis is a reason to wait, too: written sooner,
    // it would keep the analysis out.
    needsAnalysis: fillable.size > 0 && (missing.length > 0 || later.length > 0),
    hopeless: missing.filter(
      field =>
        !fillable.has(field.id) &&
        overtaking.every(({ required }) => required.some(({ id }) => id === field.id)),
    ),
    problems: [
      ...explicit.problems,
      // A default that is not used cannot be wrong for this document.
      ...defaults.problems.filter(({ fieldId }) => fieldId === undefined || !taken.has(fieldId)),
    ].map(({ code, text, fix }) => ({ code, text, fix })),
    notices: listNotices(
      withDefaults.chosen.length > 1,
      defaults.writes.some(({ fieldId }) => fieldId === nameId),
    ),
  };
}

function takenBy({ writes, leftEmpty = [] }: ResolvedValues): ReadonlySet<string> {
  return new Set([...writes.map(({ fieldId }) => fieldId), ...leftEmpty]);
}

function toFieldValues(writes: readonly FieldWrite[]): FieldValues {
  return new Map(writes.map(write => [write.fieldId, write.values]));
}

/** Fields the service itself may still fill for a document of this kind. */
function listFillable(rules: ProjectRules, mimeType: string): ReadonlySet<string> {
  const scraped = rules.requirements.flatMap(requirement => requirement.scrapedFieldIds ?? []);
  const analysed =
    mimeType === 'application/pdf'
      ? rules.requirements
          .flatMap(requirement => requirement.required)
          .concat(rules.fields)
          .filter(field => ANALYSIS_FIELD_NAMES.has(field.name))
          .map(field => field.id)
      : [];
  const named = isNameComputed(rules) ? rules.fields.filter(({ name }) => name === 'name') : [];
  return new Set([...scraped, ...analysed, ...named.map(({ id }) => id)]);
}

/** Under a naming standard the service makes the name of a document from that of its file. */
export function isNameComputed(rules: ProjectRules): boolean {
  return rules.requirements.some(requirement => requirement.scrapedFieldIds !== null);
}

function listNotices(isTie: boolean, isNameDefault: boolean): readonly string[] {
  return [
    ...(isTie
      ? ['Several upload requirements fit equally well; the fields of all of them are treated as required.']
      : []),
    ...(isNameDefault
      ? ['The share’s default for the name is not used: a document has the name of its file.']
      : []),
  ];
}

/** The name that the document will have in any case; a naming standard may still compute it. */
function planName(rules: ProjectRules, fileName: string, explicit: ResolvedValues): readonly FieldWrite[] {
  const field = rules.fields.find(({ name }) => name === 'name');
  if (field === undefined) return [];
  const given = explicit.writes.find(({ fieldId }) => fieldId === field.id);
  if (given !== undefined) return [given];
  return isNameComputed(rules) ? [] : [{ fieldId: field.id, values: [fileName] }];
}

function resolveTexts(
  field: ProjectField,
  texts: readonly string[],
  resolve: Resolver,
): { readonly resolved: readonly string[]; readonly wrong: readonly ValueProblem[] } {
  if (texts.length > 1 && !takesSeveral(field)) {
    const tooMany: ValueProblem = {
      code: 'too-many-values',
      text: `"${field.label}" takes one value, but ${texts.length} were given.`,
      fix: `Give one value for "${field.label}".`,
    };
    return { resolved: [], wrong: [tooMany] };
  }
  const resolved = new Set<string>();
  const wrong: ValueProblem[] = [];
  for (const text of texts) {
    const resolution = resolve(field, text);
    if (resolution.kind === 'resolved') resolved.add(resolution.value);
    else wrong.push(explainValue(field, text, resolution));
  }
  return { resolved: [...resolved], wrong };
}

/** The texts of a value that are not blank. */
export function toTexts(value: string | readonly string[]): readonly string[] {
  return (typeof value === 'string' ? [value] : value).filter(text => text.trim() !== '');
}
