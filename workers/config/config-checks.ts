// Checks of settings against each other. They run on the parts that are right by themselves, so that what
// they find is reported together with all other faults.
import { resolve, sep } from 'node:path';

import { checkConsole } from './config-console';
import type { RightParts } from './config-schema';
import type { ConfigFault } from './config-types';

/**
 * Faults that only show when settings are seen together: names or ports twice, folders inside one another.
 */
export function checkTogether(right: RightParts, baseFolder: string): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const expect = (isSo: boolean, path: string, what: string): void => {
    if (!isSo) faults.push({ path, text: `expected ${what}` });
  };
  const { stateDir, temporal } = right;
  const shares = right.shares.flatMap((share, index) =>
    share === undefined ? [] : [{ index, share, folder: resolve(baseFolder, share.folder) }],
  );

  const { port, uiPort } = temporal?.embedded ?? {};
  expect(
    port === undefined || port !== uiPort,
    'temporal.embedded.uiPort',
    `another port than temporal.embedded.port, found ${uiPort} for both`,
  );
  for (const { index, share } of shares) {
    const path = `shares[${index}]`;
    const names = [share.drop, share.done, share.attention].map(name => name.toLowerCase());
    expect(new Set(names).size === names.length, path, 'three separate names for drop, done and attention');
    expect(!names.includes('.drawbridge'), path, 'other names than ".drawbridge", which is used for batches');
  }
  for (const { index, share, folder } of shares) {
    const path = `shares[${index}]`;
    for (const other of shares.filter(each => each.index < index)) {
      const { name } = share;
      const user = `shares[${other.index}]`;
      expect(other.share.name !== name, `${path}.name`, `a name of its own, "${name}" is used by ${user}`);
      const isApart = !isInside(folder, other.folder) && !isInside(other.folder, folder);
      expect(isApart, `${path}.folder`, `a folder apart from that of ${user}`);
    }
  }
  for (const { folder } of shares) {
    expect(
      stateDir === undefined || !isInside(resolve(baseFolder, stateDir), folder),
      'stateDir',
      `a folder outside the share ${folder}: tokens and databases do not belong on a share`,
    );
  }
  // Without any share they are the stand-in's; of one that is wrong, the name is not known.
  const areKnown = shares.length > 0 && shares.length === right.shares.length;
  faults.push(...checkConsole(right.console, areKnown ? shares.map(({ share }) => share.name) : undefined));
  return faults;
}

function isInside(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
