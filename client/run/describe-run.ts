// What is said once everything runs: where to drop, where to look, how to stop.
import { join } from 'node:path';
import type { Config } from '../../workers/config/config';
import type { TemporalTarget } from '../../workers/temporal/temporal-connection';
import { type StandIn, sharesOf } from '../session/stand-in';
import type { Paint } from '../session/terminal-text';

export interface RunningTemporal {
  readonly target: TemporalTarget;
  readonly uiAddress?: string | undefined;
}

interface RunSaid {
  readonly config: Config;
  readonly paint: Paint;
  readonly standIn: { readonly speed: number };
}

interface RunParts {
  readonly temporal: RunningTemporal;
  readonly standIn: StandIn | undefined;
  readonly sample: string | undefined;
  readonly page: string | undefined;
}

export function describeRun(
  { config, paint, standIn: { speed } }: RunSaid,
  { temporal, standIn, sample, page }: RunParts,
): string {
  const shares = sharesOf(config);
  const rows: (readonly [string, string])[] = [
    ...shares.map(
      share =>
        [
          'Drop files here',
          `${join(share.folder, share.drop ?? 'drop')}  (project ${share.project.projectId})`,
        ] as const,
    ),
    ...shares.map(
      share =>
        [
          'Find them again',
          `${join(share.folder, share.done ?? 'done')} and ${share.attention ?? 'attention'}/ beside it, with their receipt`,
        ] as const,
    ),
    ...(sample === undefined
      ? []
      : [['Something to drop', `${sample}  (ten drawings and their register)`] as const]),
    ...(page === undefined
      ? []
      : [['Look at the work', `${page}  (what is on its way, what waits for you)`] as const]),
    [
      page === undefined ? 'Look at the work' : 'For engineers',
      temporal.uiAddress ?? `the UI of the Temporal server at ${temporal.target.address}`,
    ],
    [
      'Service',
      standIn === undefined
        ? (config.service?.baseUrl ?? '')
        : `the stand-in, ${standIn.urls.apiUrl}, ${speed === 1 ? 'in real time' : `${speed} times faster than real`}; control ${standIn.urls.controlUrl}`,
    ],
    ['Log', logFileOf(config)],
    ['Stop', 'Ctrl-C; a second one ends at once'],
  ];
  const lines = rows.map(([name, value]) => `  ${paint('bold', name.padEnd(18))}${value}`);
  return `\n${paint('green', 'Drawbridge is running.')}\n\n${lines.join('\n')}\n`;
}

export function logFileOf(config: Config): string {
  return config.logging.file ?? join(config.stateDir, 'drawbridge.log');
}
