// From a function that does some work to the activity that Temporal calls, which takes its input alone.
import type { Asking } from '../../workflows/contract';
import { type ActivityScope, inScope } from './activity-scope';

/** The work of one activity: with what it needs, what was asked of it, and the scope of this attempt. */
type Work<Deps> = (deps: Deps, input: never, scope: ActivityScope) => Promise<unknown>;

type ActivityOf<Work> = Work extends (deps: never, input: infer Input, scope: ActivityScope) => infer Result
  ? (input: Input) => Result
  : never;

/**
 * Maps property by property, so that an editor leads from a workflow's call to the work, and from there to
 * all callers.
 */
export type ActivitiesOf<Works> = { readonly [Name in keyof Works]: ActivityOf<Works[Name]> };

/** Runs the work of each of these activities, within its scope. */
export type Around = <Result>(
  scope: ActivityScope,
  work: (scope: ActivityScope) => Promise<Result>,
) => Promise<Result>;

/**
 * The activities of these names. Each runs in a scope of its own; an input that says which run has asked
 * (`asked`) is compared with the run that it is dispatched for.
 */
export function toActivities<Deps, Works extends Readonly<Record<string, Work<Deps>>>>(
  draining: AbortSignal,
  deps: Deps,
  works: Works,
  around: Around = async (scope, work) => await work(scope),
): ActivitiesOf<Works> {
  const activities = Object.entries(works).map(([name, work]) => [
    name,
    async (input: unknown) =>
      await inScope(
        draining,
        scope => around(scope, inner => work(deps, input as never, inner)),
        askedOf(input),
      ),
  ]);
  return Object.fromEntries(activities) as ActivitiesOf<Works>;
}

/** Undefined where `asked` means something else, such as the fields that are asked of a change order. */
function askedOf(input: unknown): Asking | undefined {
  const asked = (input as { readonly asked?: Partial<Asking> } | undefined)?.asked;
  return typeof asked?.runId === 'string' ? { ...asked, runId: asked.runId } : undefined;
}
