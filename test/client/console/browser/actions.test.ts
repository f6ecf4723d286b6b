// Everything that is done on the page is done with the pointer alone, and with the keyboard alone: what Tab
// and the arrows do not come to is found. Operations, signing in and a file that is replaced have tests of
// their own.

import { ACTIONS } from './actions';
import { openPage, shoot } from './browser-bed';
import { HANDS } from './hands';
import { useLostBed } from './lost-bed';

const openBed = useLostBed();

const CASES = ACTIONS.flatMap(action => HANDS.map(hand => ({ ...action, hand, by: hand.name })));

test.each(CASES)('$name, by $by', async ({ name, path, act, done, hand }) => {
  const bed = openBed();
  const options = { permissions: ['clipboard-read', 'clipboard-write'] };
  const page = await openPage(bed.browser, `${bed.server.origin}${path}`, bed.errors, { options });
  await page.getByText('Live', { exact: true }).waitFor();
  await act(page, hand);
  await done(page);
  await shoot(page, `done-${name.replaceAll(/\W+/g, '-')}-${hand.name}`);
});
