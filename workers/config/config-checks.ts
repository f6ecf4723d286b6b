// Checks of settings against each other. They run on what is right by itself, so that they are
// reported with all other faults.
import { resolve, sep } from 'node:path';

import type { ConfigFault } from './config-reading';
import type { RightParts, Settings, ShareSettings } from './config-schema';

interface PlacedShare {
  readonly index: number;
  readonly share: ShareSettings;
  readonly folder: string;
}

/**
 * Faults that only show when settings are seen together: names or ports twice, folders inside one another.
 */
export function checkTogether(right: RightParts, baseFolder: string): ConfigFault[] {
  const shares = placeShares(right.shares, baseFolder);
  const { stateDir, temporal } = right;
  return [
    ...(temporal === undefined ? [] : checkPorts(temporal)),
    ...shares.flatMap(placed => checkFolders(placed)),
    ...shares.flatMap(placed => checkAgainstOthers(placed, shares)),
    ...shares
      .filter(({ folder }) => stateDir !== undefined && isInside(resolve(baseFolder, stateDir), folder))
      .map(({ folder }) => ({
        path: 'stateDir',
        text: `expected a folder outside the share ${folder}: tokens and databases do not belong on a share`,
      })),
  ];
}

function checkPorts({ embedded }: Settings['temporal']): ConfigFault[] {
  if (embedded.port !== embedded.uiPort) return [];
  return [
    {
      path: 'temporal.embedded.uiPort',
      text: `expected another port than temporal.embedded.port, found ${embedded.uiPort} for both`,
    },
  ];
}

function placeShares(shares: RightParts['shares'], baseFolder: string): PlacedShare[] {
  return shares.flatMap((share, index) =>
    share === undefined ? [] : [{ index, share, folder: resolve(baseFolder, share.folder) }],
  );
}

function checkFolders({ index, share }: PlacedShare): ConfigFault[] {
  const names = [share.drop, share.done, share.attention].map(name => name.toLowerCase());
  return [
    ...(new Set(names).size < names.length
      ? [{ path: `shares[${index}]`, text: 'expected three separate names for drop, done and attention' }]
      : []),
    ...(names.includes('.drawbridge')
      ? [
          {
            path: `shares[${index}]`,
            text: 'expected other names than ".drawbridge", which is used for batches',
          },
        ]
      : []),
  ];
}

function checkAgainstOthers(placed: PlacedShare, shares: readonly PlacedShare[]): ConfigFault[] {
  const earlier = shares.filter(other => other.index < placed.index);
  return earlier.flatMap(other => [
    ...(other.share.name === placed.share.name
      ? [
          {
            path: `shares[${placed.index}].name`,
            text: `expected a name of its own, "${placed.share.name}" is used by shares[${other.index}]`,
          },
        ]
      : []),
    ...(isInside(placed.folder, other.folder) || isInside(other.folder, placed.folder)
      ? [
          {
            path: `shares[${placed.index}].folder`,
            text: `expected a folder apart from that of shares[${other.index}]`,
          },
        ]
      : []),
  ]);
}

function isInside(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
