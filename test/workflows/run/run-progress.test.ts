// What a run tells that stands still by itself while its calls stand still for other causes.
import { RunProgress } from '../../../workflows/run/run-progress';

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  log: { warn: () => undefined },
  setCurrentDetails: () => undefined,
  setHandler: () => undefined,
}));

const OWN = { code: 'user-outside', text: 'User 9004 is outside.', fix: 'Decide.' };
const LOGIN = { code: 'LOGIN_REQUIRED', text: 'Sign in.', fix: 'drawbridge login' };

test('its own reason is shown again once a call that was blocked tries again, and when that has ended', () => {
  const progress = new RunProgress('A user');
  const shown = () => progress.report.blocked;
  progress.standStill(OWN, 1_000);
  progress.block(LOGIN, 2_000);
  expect(shown()).toEqual({ reason: LOGIN, sinceMs: 1_000 });
  progress.triesAgain();
  expect(shown()).toEqual({ reason: OWN, sinceMs: 1_000 });
  progress.block(LOGIN, 3_000);
  progress.unblock();
  expect(shown()).toEqual({ reason: OWN, sinceMs: 1_000 });
  progress.goOn();
  expect(shown()).toBeUndefined();
});

test('of a run that waits for nothing by itself a cause stays in sight until the call has ended', () => {
  const progress = new RunProgress('A user');
  progress.block(LOGIN, 2_000);
  progress.triesAgain();
  expect(progress.report.blocked).toEqual({ reason: LOGIN, sinceMs: 2_000 });
  progress.unblock();
  expect(progress.report.blocked).toBeUndefined();
});
