// Judges what the service has answered.
import { toDurationText } from '../session/terminal-text';
import { type Finding, judgesOf } from './finding';
import { describeSkew, isSkewed } from './judge-clock';
import type { HookFacts, ProjectFacts, ServiceFacts } from './look-at-service';

export function judgeService(facts: ServiceFacts, nowMs: number, command: string): readonly Finding[] {
  return [
    judgeSignIn(facts, nowMs, command),
    judgeAddress(facts),
    ...facts.projects.map(judgeProject),
    ...judgeTelling(facts),
    ...facts.hooks.map(hook => judgeHook(hook, command)),
  ];
}

function judgeSignIn({ token, grant, authUrl, clientId }: ServiceFacts, nowMs: number, command: string) {
  const { ok, wrong, notAsked } = judgesOf('sign-in');
  const who = grant === 'client_credentials' ? `the service account ${clientId}` : 'a person';
  if ('value' in token) {
    const { isFresh, expiresAtMs } = token.value;
    const end = expiresAtMs === null ? '' : `, good for ${toDurationText(expiresAtMs - nowMs)} more`;
    return ok(
      isFresh ? `${who} was given a token by ${authUrl}${end}; it is not kept.` : `${who} has a token${end}.`,
    );
  }
  switch (token.code) {
    case 'NOT_RENEWED':
      return notAsked(
        'the token of the login has ended, and only one renewal is possible: a worker does it when it next needs it.',
        `To try it now: ${command} whoami`,
      );
    case 'LOGIN_REQUIRED':
      return wrong(
        token.why,
        grant === 'client_credentials'
          ? 'Correct service.clientId and service.clientSecret, or have them renewed at the service.'
          : `Sign in: ${command} login`,
      );
    case 'SERVICE_UNAVAILABLE':
    case 'INTERNAL_ERROR':
      return wrong(
        `${authUrl} does not answer as it should: ${token.why}`,
        'What needs it waits and goes on by itself. If it stays so, check service.authUrl, the network and a proxy.',
      );
    case 'RATE_LIMITED':
      return notAsked(token.why, 'Ask again in a minute.');
    default:
      return wrong(token.why, 'Correct the section "service" of the configuration.');
  }
}

function judgeAddress({ baseUrl, isStandIn, hasAnswered, token, projects }: ServiceFacts): Finding {
  const { ok, wrong, notAsked } = judgesOf('service');
  const address = isStandIn ? `the stand-in at ${baseUrl}` : baseUrl;
  if (hasAnswered) return ok(`${address} answers.`);
  if (!('value' in token)) return notAsked(`${address} is not asked without a token.`);
  const failed = projects.flatMap(({ read }) => (read !== undefined && 'why' in read ? [read] : []))[0];
  if (failed === undefined) return notAsked(`${address}: there is no share, and so no project to ask for.`);
  if (failed.code === 'RATE_LIMITED') return notAsked(`${address}: ${failed.why}`, 'Ask again in a minute.');
  const todo =
    'What needs it waits and goes on by itself. If it stays so, check service.baseUrl, the network and a proxy.';
  return wrong(`${address} does not answer: ${failed.why}`, todo);
}

function judgeProject({ project, shares, read }: ProjectFacts): Finding {
  const { companyId, projectId } = project;
  const { ok, wrong, notAsked } = judgesOf(`project ${projectId} (share ${shares.join(', ')})`);
  if (read === undefined) return notAsked('there is no token to ask with.');
  if ('value' in read)
    return ok(
      'its upload requirements can be read. Whether the account may upload shows with the first document.',
    );
  switch (read.code) {
    case 'NOT_FOUND':
      return wrong(
        `company ${companyId} has no such project, or the account does not see it.`,
        'Correct project.companyId and project.projectId of the share, or have the account added to the project.',
      );
    case 'ACCESS_DENIED':
      return wrong(
        `the account may not read it: ${read.why}`,
        'Have it given the permission to the documents of this project, and check project.companyId of the share.',
      );
    case 'TOKEN_REJECTED':
      return wrong(
        read.why,
        'Are service.baseUrl and service.authUrl of one environment? The service does not take the token it gave.',
      );
    case 'SERVICE_UNAVAILABLE':
    case 'INTERNAL_ERROR':
    case 'RATE_LIMITED':
    case 'NOT_RENEWED':
      return notAsked(read.why);
    default:
      return wrong(read.why, 'Check the project of the share.');
  }
}

/** What the responses of the service told besides: its clock, and what is left of the rate limit. */
function judgeTelling({ clock, limits, hasAnswered }: ServiceFacts): readonly Finding[] {
  if (!hasAnswered) return [];
  const ofClock = judgesOf('clock of the service');
  const ofLimit = judgesOf('rate limit');
  const spent = limits.filter(({ remaining }) => remaining === 0);
  const told = limits.map(({ limit, remaining }) => `${remaining} of ${limit} requests left`).join(', ');
  return [
    clock === undefined
      ? ofClock.notAsked('its answers have no date.')
      : isSkewed(clock)
        ? ofClock.look(`it is ${describeSkew(clock)}.`, 'Set the clock of this host by a time server.')
        : ofClock.ok('it shows the time of this host.'),
    spent.length > 0
      ? ofLimit.look(
          `${told}.`,
          'Everything waits until it is renewed. If it is often so: service.rateShare, or a larger limit.',
        )
      : ofLimit.ok(limits.length === 0 ? 'none is told.' : `${told}.`),
  ];
}

function judgeHook({ scope, isThere }: HookFacts, command: string): Finding {
  const { ok, look, notAsked } = judgesOf(`webhooks of ${scope}`);
  if (isThere === undefined) return notAsked('there is no token to ask with.');
  if ('why' in isThere) return notAsked(isThere.why);
  return isThere.value
    ? ok(`the hook is there. Whether its events arrive: ${command} webhooks deliveries`)
    : look('there is no hook of ours to webhooks.destinationUrl.', `Make it: ${command} webhooks ensure`);
}
