// What is written to each document, what is missing, and what is impossible: known before a byte is sent.
import type { Reason, ValuesByField } from '../../../workflows/contract';
import type { FieldWrite } from '../../../workflows/ingest/ingest-contract';
import { listNearest, type Resolution } from '../../host/resolve-value';
import { chooseRequirement, listMissing, listOvertaking } from './choose-requirement';
import {
  ANALYSIS_FIELD_NAMES,
  type FieldLabel,
  type FieldValues,
  findField,
  type ProjectField,
  type ProjectRules,
  WORKFLOW_FIELD_NAMES,
} from './project-rules';
import { takesSeveral } from './resolve-text';

/** Why a value cannot be written. Receipts carry the codes; a client sorts them in set-apart-safety.ts. */
export interface ValueProblem extends Reason {
  readonly code:
    | 'ambiguous-value'
    | 'inactive-value'
    | 'malformed-value'
    | 'too-many-values'
    | 'unknown-field'
    | 'unknown-value';
}

export interface ResolvedValues {
  /** Each field once. */
  readonly writes: readonly FieldWrite[];
  /** `fieldId`: the field that a value was meant for, where there is one. */
  readonly problems: readonly (ValueProblem & { readonly fieldId?: string })[];
  /** Ids of fields that no default is for. */
  readonly leftEmpty?: readonly string[];
}

export interface DocumentPlan {
  /** Written when the file is linked: what people said, and defaults nothing else can fill. */
  readonly now: readonly FieldWrite[];
  /** Something is still to come from the service (analysis, naming standard) or to be decided after it. */
  readonly needsAnalysis: boolean;
  /** Required, without a value, and nothing in sight that could fill it. */
  readonly hopeless: readonly FieldLabel[];
  readonly problems: readonly ValueProblem[];
  readonly notices: readonly string[];
}

/**
 * Looks a person's text up in the field's list; undefined when it was not looked
 * up, which is a bug of the caller.
 */
export type Resolver = (field: ProjectField, text: string) => Resolution;

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

/**
 * Plans one document. Explicit values are written at once; a default is written at once only where
 * neither analysis nor a naming standard could fill the field, because defaults come last (they may
 * fill only what is still empty).
 */
export function planDocument(
  rules: ProjectRules,
  document: { readonly mimeType: string; readonly fileName: string },
  explicit: ResolvedValues,
  defaults: ResolvedValues,
): DocumentPlan {
  const fillable = listFillable(rules, document.mimeType);
  const taken = new Set([...explicit.writes.map(write => write.fieldId), ...(explicit.leftEmpty ?? [])]);
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const open = defaults.writes.filter(({ fieldId }) => !taken.has(fieldId) && fieldId !== nameId);
  const atOnce = open.filter(write => !fillable.has(write.fieldId));
  const later = open.filter(write => fillable.has(write.fieldId));
  // The name is written after the upload was read: what the service has there
  // tells whose file it takes it for.
  const now = [...explicit.writes.filter(({ fieldId }) => fieldId !== nameId), ...atOnce];

  const known = toFieldValues([...now, ...planName(rules, document.fileName, explicit)]);
  const applicable = chooseRequirement(rules, known);
  const missing = listMissing(applicable, known);
  const overtaking = listOvertaking(rules, known, fillable);
  const withDefaults = chooseRequirement(
    rules,
    toFieldValues([...known].map(([fieldId, values]) => ({ fieldId, values })).concat(later)),
  );
  return {
    now,
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

function toTexts(value: string | readonly string[]): readonly string[] {
  return (typeof value === 'string' ? [value] : value).filter(text => text.trim() !== '');
}

/** Why no value can be written under this name; nothing when it is a field that may be set. */
export function explainUnlessField(rules: ProjectRules, given: string): readonly ValueProblem[] {
  const field = findField(rules.fields, given);
  if (field !== undefined && !WORKFLOW_FIELD_NAMES.has(field.name)) return [];
  const { code, text } = explainUnknownField(given, rules.fields);
  const fields = rules.fields.filter(({ name }) => !WORKFLOW_FIELD_NAMES.has(name));
  const candidates = fields.map(({ id, label, name }) => ({ id, label, alternatives: [name], active: true }));
  return [{ code, text, fix: `The nearest are: ${listNearest(given, candidates).join(', ')}.` }];
}

function explainUnknownField(given: string, fields: readonly ProjectField[]): ValueProblem {
  const labels = fields.filter(field => !WORKFLOW_FIELD_NAMES.has(field.name)).map(field => field.label);
  return {
    code: 'unknown-field',
    text: `The project has no field "${given}" that can be set.`,
    fix: `Use one of: ${labels.slice(0, 30).join(', ')}.`,
  };
}

function explainValue(
  field: ProjectField,
  text: string,
  resolution: Exclude<Resolution, { kind: 'resolved' }>,
): ValueProblem {
  const given = `"${text}" for "${field.label}"`;
  switch (resolution.kind) {
    case 'unknown':
      return {
        code: 'unknown-value',
        text: `${given} is not in the list of the project.`,
        fix: suggest(resolution.nearest),
      };
    case 'inactive':
      return {
        code: 'inactive-value',
        text: `${given} is in the list of the project, but no longer active.`,
        fix: suggest(resolution.nearest),
      };
    case 'ambiguous':
      return {
        code: 'ambiguous-value',
        text: `${given} fits several entries of the list.`,
        fix: `Write exactly one of: ${resolution.nearest.join(', ')}.`,
      };
    case 'malformed':
      return {
        code: 'malformed-value',
        text: `${given} cannot be read.`,
        fix: `Give ${resolution.expected}.`,
      };
  }
}

function suggest(nearest: readonly string[]): string {
  return nearest.length === 0
    ? 'The list has no active entries; ask the project’s administrator.'
    : `Nearest: ${nearest.join(', ')}.`;
}
