// Keeps on a share what the project asks for: as the template at its root, for those who have no terminal,
// and as data, for those who show it to people.
import { hash } from 'node:crypto';
import { emptyWordOf } from '../../workflows/ingest/decide/empty-word';
import type { KeepFieldsInput, KeepFieldsResult } from '../../workflows/template/keep-fields-contract';
import type { KeepTemplateInput, KeepTemplateResult } from '../../workflows/template/keep-template-contract';
import { type Clock, systemClock } from '../host/clock';
import { createLimit } from '../host/concurrency';
import { describeFields } from '../ingest/describe-fields';
import type { ProjectLookups } from '../ingest/project-lookups';
import { hashTemplate, writeTemplate } from '../registers/template/template-workbook';
import { whileShareAnswers } from '../scope/hung-share';
import { toActivities } from '../scope/to-activities';
import type { NamedShare, ShareFields, ShareMount, ShareTemplate } from '../share/share';

export interface TemplateDeps {
  readonly share: NamedShare & ShareTemplate & ShareFields & ShareMount;
  readonly lookups: Pick<ProjectLookups, 'rules' | 'values' | 'people'>;
  readonly draining: AbortSignal;
  /** The one of the share, which notes when the fields were asked for. */
  readonly clock?: Clock;
}

export type TemplateActivities = ReturnType<typeof createTemplateActivities>;

export function createTemplateActivities(deps: TemplateDeps) {
  return toActivities(deps.draining, deps, { keepTemplate, keepFields }, whileShareAnswers(deps.share));
}

/**
 * Making a template takes 30 MiB of memory for its 30 KiB, and a process that begins makes one for each of
 * its shares. That waits neither for a share nor for the service, so none holds up the others for long.
 */
const oneAtATime = createLimit(1);

async function keepTemplate(
  { share, lookups, clock = systemClock }: TemplateDeps,
  _input: KeepTemplateInput,
): Promise<KeepTemplateResult> {
  const { name, config } = share;
  const { project, policy, register } = config;
  if (register?.template === undefined) return { share: name, template: 'off' };
  const given = { defaults: policy.defaults, forced: policy.values ?? {} };
  const emptyWord = emptyWordOf(policy);
  const settings = hashOf({ project, given, emptyWord });
  // Before the service is asked: how often that may happen is noted on the share, for all who look.
  const state = await share.lookAtTemplate(settings);
  if (state !== 'due') return { share: name, template: state };
  const rules = await lookups.rules(project);
  const says = {
    share: name,
    project: `project ${project.projectId}`,
    fields: await describeFields(lookups, project, rules, given),
    files: [],
    emptyWord,
  };
  const template = await share.putTemplate({
    facts: hashTemplate(says),
    settings,
    make: () => oneAtATime(() => writeTemplate({ ...says, madeAt: new Date(clock.wallMs()) })),
  });
  return { share: name, template };
}

/** Several may ask at about the same time: the service is asked once for all of them. */
const FIELDS_FRESH_MS = 60_000;

async function keepFields(
  { share, lookups, clock = systemClock }: TemplateDeps,
  _input: KeepFieldsInput,
): Promise<KeepFieldsResult> {
  const { name, config } = share;
  const { project, policy } = config;
  const kept = await share.readFields();
  const agoMs = clock.wallMs() - (kept?.askedAt.getTime() ?? 0);
  if (agoMs >= 0 && agoMs < FIELDS_FRESH_MS) return { share: name, fields: 'fresh' };
  const rules = await lookups.rules(project);
  const given = { defaults: policy.defaults, forced: policy.values ?? {} };
  await share.putFields(await describeFields(lookups, project, rules, given));
  return { share: name, fields: 'written' };
}

function hashOf(value: object): string {
  return hash('sha256', JSON.stringify(value));
}
