// Temporal's time, asked of a real one, which has the clock of this machine.
import { askTemporalNow } from '../../../client/status/temporal-now';
import { useNamespace } from '../../setup/temporal-namespace';

const temporal = useNamespace();

test('it tells how late it is by its clock, each time anew', async () => {
  for (let time = 0; time < 3; time++) {
    const beforeMs = Date.now();
    const nowMs = await askTemporalNow(temporal.client);
    expect(nowMs).toBeGreaterThanOrEqual(beforeMs - 10);
    expect(nowMs).toBeLessThanOrEqual(Date.now() + 10);
  }
});
