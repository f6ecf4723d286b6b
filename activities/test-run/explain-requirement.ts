// Which upload requirement applies to a document and why, and what each one that could still apply would ask
// for: all rounds at once. Pure.
import type { Weighed } from '../ingest/decide/plan-document';
import type { FieldLabel, ProjectRules } from '../ingest/decide/project-rules';
import { tellApplicable, tellWhen } from '../ingest/decide/tell-requirement';

export interface Round {
  /** "Type is Drawing", or why the default applies. */
  readonly when: string;
  /** Labels of required fields that nobody gives. */
  readonly lacks: readonly string[];
  /** Those of them that the service may find by itself. */
  readonly maybeFound: readonly string[];
}

export interface ExplainedRequirement {
  /** By what is known now. */
  readonly now: Round;
  /** What applies instead if the service finds other values. */
  readonly later: readonly Round[];
  /** Whatever the service finds, nothing is lacking. */
  readonly isComplete: boolean;
}

const MOST_ROUNDS = 20;

export function explainRequirement(rules: ProjectRules, weighed: Weighed): ExplainedRequirement {
  const { applicable, overtaking } = weighed;
  const now = toRound(rules, weighed, tellApplicable(rules, applicable), applicable.required);
  const all = overtaking.map(requirement =>
    toRound(rules, weighed, tellWhen(rules, requirement), requirement.required),
  );
  return {
    now,
    later: all.slice(0, MOST_ROUNDS),
    isComplete: [now, ...all].every(({ lacks }) => lacks.length === 0),
  };
}

function toRound(
  rules: ProjectRules,
  { known, later, fillable }: Weighed,
  when: string,
  required: readonly FieldLabel[],
): Round {
  const settable = new Set(rules.fields.map(({ id }) => id));
  const given = new Set([...known.keys(), ...later.map(({ fieldId }) => fieldId)]);
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  // The name of the file is used where nobody gives one.
  const lacking = required.filter(({ id }) => settable.has(id) && !given.has(id) && id !== nameId);
  return {
    when,
    lacks: lacking.map(({ label }) => label),
    maybeFound: lacking.filter(({ id }) => fillable.has(id)).map(({ label }) => label),
  };
}

/** "Type is "Drawing": lacks Discipline (the service may find it)." */
export function tellRound({ when, lacks, maybeFound }: Round): string {
  if (lacks.length === 0) return `${when}: nothing is lacking`;
  const listed = lacks.map(label =>
    maybeFound.includes(label) ? `${label} (the service may find it)` : label,
  );
  return `${when}: lacks ${listed.join(', ')}`;
}
