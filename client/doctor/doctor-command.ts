// `drawbridge doctor`: asks everything that can be asked within a minute, changes nothing, and says in one
// line each what is well, what is not, and what to do.
import { systemClock } from '../../activities/host/clock';
import type { OurTemporal } from '../../activities/share/batch/hold';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Config } from '../../workers/config/config';
import { isPortServed } from '../../workers/temporal/free-port';
import { type AddCommand, print } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { serviceOf, sharesOf } from '../session/stand-in';
import { createPaint } from '../session/terminal-text';
import { ask, describeFindings, exitCodeOf, type Finding, judgesOf, worstOf } from './finding';
import { judgeConfig, judgeConfigError, judgeKey, judgeNode, judgeState } from './judge-host';
import { judgeService } from './judge-service';
import { judgeShare } from './judge-share';
import { judgeServed, judgeTemporal } from './judge-temporal';
import { lookAtKey, lookAtState } from './look-at-host';
import { lookAtService } from './look-at-service';
import { lookAtShare } from './look-at-share';
import { isEmbedded, lookAtTemporal, type TemporalFacts } from './look-at-temporal';

const SERVICE_MS = 25_000;

export const addDoctorCommand: AddCommand = (declared, globals, command) => {
  declared.option('--json', 'as JSON').action(async (options: { json?: true }) => {
    const findings = await examine(globals(), command);
    print(
      options.json === true
        ? JSON.stringify({ verdict: worstOf(findings), findings }, undefined, 2)
        : describeFindings(findings, createPaint(process.stdout)),
    );
    process.exitCode = exitCodeOf(findings);
  });
};

async function examine(options: GlobalOptions, command: string): Promise<readonly Finding[]> {
  const node = judgeNode(process.versions.node);
  const { config, faults } = readConfig(options);
  if (config === undefined) {
    const rest = judgesOf('everything else').notAsked('the configuration says where it is.');
    return [node, ...faults, rest];
  }
  const shares = sharesOf(config);
  const [state, key, temporal] = await Promise.all([
    lookAtState(config.stateDir),
    lookAtKey(config),
    lookAtTemporal(
      config,
      shares.map(({ name }) => name),
    ),
  ]);
  const ours = oursOf(temporal);
  const [ofShares, ofService, ofReceiver] = await Promise.all([
    Promise.all(
      shares.map(async share => [
        ...judgeShare(await lookAtShare({ config, share, key: key.key, ours }), command),
        judgeWorkers(share, temporal, command),
      ]),
    ),
    faults.length > 0
      ? [judgesOf('service').notAsked('not all secrets can be read.')]
      : examineService(config, shares, command),
    examineReceiver(config, command),
  ]);
  return [
    node,
    ...judgeConfig(config, isEmbedded(config), faults),
    judgeState(state),
    judgeKey(key),
    ...judgeTemporal(temporal, command),
    ...ofShares.flat(),
    ...ofService,
    ...ofReceiver,
  ];
}

/** Without its secrets, which an operator's terminal need not have, all but the service can be looked at. */
function readConfig(options: GlobalOptions): {
  readonly config?: Config;
  readonly faults: readonly Finding[];
} {
  try {
    return { config: loadCommandConfig(options, 'read'), faults: [] };
  } catch (error) {
    const faults = judgeConfigError(error);
    try {
      return { config: loadCommandConfig(options, 'leave'), faults };
    } catch {
      return { faults };
    }
  }
}

/** Which Temporal is ours. The other commands note that in the state folder; the doctor only looks. */
function oursOf(temporal: TemporalFacts): OurTemporal | undefined {
  if (temporal.kind === 'away' || 'why' in temporal.found) return undefined;
  const { address, namespace, found } = temporal;
  if (found.value === 'no such namespace' || found.value.id === '') return undefined;
  return { id: found.value.id, namespace, address, host: 'this one', former: [] };
}

function judgeWorkers({ name }: ShareConfig, temporal: TemporalFacts, command: string): Finding {
  const served = temporal.kind === 'away' ? undefined : temporal.sharesServed.get(name);
  const todo = `Start one on a host that sees it: ${command} worker`;
  return judgeServed(`share ${name}, workers`, served, `share ${name}`, todo);
}

async function examineService(
  config: Config,
  shares: readonly ShareConfig[],
  command: string,
): Promise<readonly Finding[]> {
  const { look, notAsked } = judgesOf('service');
  const found = await ask(async () => {
    const service = serviceOf(config);
    return service && (await lookAtService(config, service, shares));
  }, SERVICE_MS);
  if ('why' in found) return [notAsked(found.why)];
  if (found.value === undefined) {
    const todo = 'Start Drawbridge, which starts the stand-in, or configure a service ("service").';
    return [look('none is configured, and no stand-in runs here.', todo)];
  }
  return judgeService(found.value, systemClock.wallMs(), command);
}

const EVERY_ADDRESS = ['127.0.0.1', 'localhost', '0.0.0.0', '::'];

async function examineReceiver({ webhooks }: Config, command: string): Promise<readonly Finding[]> {
  if (webhooks === undefined) return [];
  const { ok, look, notAsked } = judgesOf('webhooks, receiver');
  const place = `${webhooks.host}:${webhooks.port}`;
  if (!EVERY_ADDRESS.includes(webhooks.host))
    return [notAsked(`whether somebody listens at ${place} cannot be seen from here.`)];
  if (await isPortServed(webhooks.port)) return [ok(`somebody listens at ${place}.`)];
  return [look(`nobody listens at ${place} of this host.`, `Start it: ${command} webhooks receive`)];
}
