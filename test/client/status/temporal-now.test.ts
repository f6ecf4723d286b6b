// Temporal's time, asked of a real one, which has the clock of this machine.
import { askTemporalNow } from '../../../client/status/temporal-now';
import { useNamespace } from '../../setup/temporal-namespace';

const temporal = useNamespace();

test('it tells how late it is by its clock, each time', async () => {
  for (let time = 0; time < 3; time++) {
    const beforeMs = Date.now();
    const nowMs = await askTemporalNow(temporal.client);
    // Early by as long as the first look took, which is long where the machine is busy.
    expect(nowMs).toBeGreaterThanOrEqual(beforeMs - 2_000);
    expect(nowMs).toBeLessThanOrEqual(Date.now() + 10);
  }
});
