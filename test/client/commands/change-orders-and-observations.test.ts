// The commands of change orders and observations, against a real worker, a real
// Temporal server and the stand-in.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../client/main';
import { runProgressQuery } from '../../../workflows/run/run-progress-contract';
import { usePrinted } from '../../setup/printed';
import { Rig } from '../../setup/rig';

let rig: Rig;
let folder: string;
const printed = usePrinted();

beforeAll(async () => {
  rig = await Rig.start();
  await rig.startWorker();
  mkdirSync(join(rig.folder, 'share', 'observations'), { recursive: true });
  process.env.TEMPORAL_ADDRESS = rig.temporal.address;
  process.env.TEMPORAL_NAMESPACE = rig.temporal.namespace;
});
beforeEach(async () => {
  await rig.control.reset();
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-commands-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
});
afterAll(async () => {
  delete process.env.TEMPORAL_ADDRESS;
  delete process.env.TEMPORAL_NAMESPACE;
  await rig.close();
});

const run = (...args: string[]) =>
  main(['--config', join(rig.folder, 'drawbridge.json'), ...args], 'drawbridge');
const count = async (route: string) => (await rig.control.requests())[route] ?? 0;

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('change-orders put', () => {
  const order = {
    contractId: '6001',
    tiers: 1,
    originId: 'CLI-1',
    title: 'Piles',
    lineItems: [{ description: 'Piles', amount: '10.10' }],
  };

  test('makes it in the project of the only share, and corrects it when it is put again', async () => {
    expect(await run('change-orders', 'put', file('order.json', JSON.stringify(order)))).toBe(0);
    expect(printed.text).toMatch(/package +610001 .*10\.10 +made/);
    printed.clear();
    const corrected = { ...order, lineItems: [{ description: 'Piles', amount: '11.11' }] };
    expect(await run('change-orders', 'put', file('order.json', JSON.stringify(corrected)), '--json')).toBe(
      0,
    );
    expect(printed.text).toContain('"total": "11.11"');
    expect(await count('changeOrderPackages.create')).toBe(1);
  });

  test('says what was made void for the input no longer has it', async () => {
    const twoTier = {
      projectId: '7002',
      companyId: '5001',
      contractId: '6003',
      tiers: 2,
      originId: 'CLI-3',
      title: 'Facade',
      requests: [
        { title: 'Glazing', amount: '10.10' },
        { title: 'Doors', amount: '0.05' },
      ],
    };
    expect(await run('change-orders', 'put', file('order.json', JSON.stringify(twoTier)))).toBe(0);
    printed.clear();
    const fewer = { ...twoTier, requests: twoTier.requests.slice(0, 1), voidOthers: true };
    expect(await run('change-orders', 'put', file('order.json', JSON.stringify(fewer)))).toBe(0);
    expect(printed.text).toMatch(/The request 62000\d "Doors" \(0\.05, draft\) is void now/);
  });

  test('says everything that is wrong before it starts anything', async () => {
    const wrong = { ...order, tiers: 4, originId: undefined };
    expect(await run('change-orders', 'put', file('order.json', JSON.stringify(wrong)))).toBe(2);
    expect(printed.text).toMatch(/"tiers": 1, 2 or 3[\s\S]*For example/);
    expect(await run('change-orders', 'put', join(folder, 'none.json'))).toBe(2);
    expect(printed.text).toMatch(/no file/);
  });

  test('ends with the service’s words when it is refused', async () => {
    const refused = { ...order, contractId: '6998', originId: 'CLI-2' };
    expect(await run('change-orders', 'put', file('order.json', JSON.stringify(refused)))).toBe(1);
    expect(printed.text).toMatch(/no such contract/);
  });
});

describe('observations', () => {
  test('import makes one a row, photos included, and importing again makes none', async () => {
    file('a.jpg', 'photo a');
    file('unnamed.jpg', 'photo');
    file(
      'observations.csv',
      'type,name,photos\nSafety Hazard,Import edge,a.jpg\nNo Such Type,Import else,\n',
    );
    expect(await run('observations', 'import', folder)).toBe(4);
    expect(printed.text).toMatch(
      /unnamed\.jpg[\s\S]*line 2 +Import edge +510001 +created[\s\S]*"No Such Type"/,
    );
    expect(await run('observations', 'import', folder)).toBe(4);
    expect(printed.text).toMatch(/known already/);
    expect(await count('observations.create')).toBe(1);
  });

  test('import makes none a second time whose run is not known any more, unless it is told to', async () => {
    const row = 'Safety Hazard,Import gap,a.jpg\n';
    file('a.jpg', 'photo a');
    file('observations.csv', `type,name,photos\n${row}`);
    expect(await run('observations', 'import', folder, '--until', 'closed')).toBe(0);
    const workflowId = /started (observation\/\S+)/.exec(printed.text)?.[1] ?? '';
    const waiting = rig.temporal.client.workflow.getHandle(workflowId);
    while (!(await waiting.query(runProgressQuery)).step.includes('waits for the signal')) {
      await rig.temporal.nextEvent(waiting);
    }
    expect(printed.text).toMatch(/Import gap .*Observation 510001 is open; waits for the signal "workDone"/);
    await waiting.terminate('by mistake');
    expect(await run('observations', 'import', folder, '--until', 'closed')).toBe(4);
    expect(printed.text).toMatch(/Import gap .*looks the same: 510001/);
    file('observations.csv', `type,name,photos\n${row}Warranty,Import drip,\n`);
    expect(await run('observations', 'import', folder)).toBe(4);
    expect(printed.text).toMatch(/Import gap .*looks the same: 510001[\s\S]*Import drip +510002 +created/);
    expect(await count('observations.create')).toBe(2);
    process.exitCode = undefined;
    expect(await run('observations', 'import', folder, '--if-there', 'make')).toBe(0);
    expect(printed.text).toMatch(/Import gap +510003 +created/);
    expect(await count('observations.create')).toBe(3);
  });

  test('import tells of a photo that is not on its item, and again when it is asked again', async () => {
    file('a.jpg', 'photo a');
    file('observations.csv', 'type,name,photos\nSafety Hazard,Import bare,a.jpg\nWarranty,Import whole,\n');
    // It is found in the list, and no look at it shows that its photo is there.
    await rig.control.addFault({ route: 'observations.create', times: 2, action: { kind: 'reply-lost' } });
    await rig.control.addFault({
      route: 'observations.show',
      times: 0,
      action: { kind: 'status', status: 404 },
    });
    for (let times = 0; times < 2; times++) {
      printed.clear();
      process.exitCode = undefined;
      expect(await run('observations', 'import', folder)).toBe(4);
      expect(printed.text).toMatch(/Import bare +51000\d +created\n/);
      expect(printed.text).toMatch(
        /line 2, observation 51000\d: Files are missing: The observation 51000\d has gone/,
      );
      expect(printed.text).not.toMatch(/line 3, |not made/);
    }
  });

  test('done carries one to closed', async () => {
    mkdirSync(join(folder, 'photos'));
    writeFileSync(
      join(folder, 'photos', 'observations.json'),
      JSON.stringify([{ type: 'Warranty', name: 'Import leak' }]),
    );
    expect(await run('observations', 'import', join(folder, 'photos'), '--until', 'closed')).toBe(0);
    const workflowId = /started (observation\/\S+)/.exec(printed.text)?.[1] ?? '';
    expect(await run('observations', 'respond', workflowId, '--comment', 'Ordered')).toBe(0);
    expect(await run('observations', 'done', workflowId, '--comment', 'Fixed')).toBe(0);
    expect(await rig.temporal.client.workflow.getHandle(workflowId).result()).toMatchObject({
      outcome: 'closed',
    });
    expect(await count('responseLogs.create')).toBe(2);
  });

  test('import does not wait for one that is made and goes on already', async () => {
    file('observations.json', JSON.stringify([{ type: 'Warranty', name: 'Import slow' }]));
    expect(await run('observations', 'import', folder, '--until', 'closed')).toBe(0);
    const workflowId = /started (observation\/\S+)/.exec(printed.text)?.[1] ?? '';
    const delay = { kind: 'delay', ms: 600_000, when: 'after' } as const;
    const faultId = await rig.control.addFault({ route: 'observations.update', action: delay });
    expect(await run('observations', 'done', workflowId)).toBe(0);
    const goesOn = rig.temporal.client.workflow.getHandle(workflowId);
    while (!(await goesOn.query(runProgressQuery)).step.includes('Setting the status')) {
      await rig.temporal.nextEvent(goesOn);
    }
    printed.clear();
    expect(await run('observations', 'import', folder, '--until', 'closed')).toBe(0);
    expect(printed.text).toMatch(/Import slow +51000\d +Setting the status ready_for_review/);
    await rig.control.removeFault(faultId);
    expect(await goesOn.result()).toMatchObject({ outcome: 'closed' });
  });

  test('send-unsent mails only after the right number', async () => {
    file('observations.json', JSON.stringify([{ type: 'Warranty', name: 'Import unsent' }]));
    await run('observations', 'import', folder);
    expect(await run('observations', 'send-unsent', '--confirm', '7')).toBe(1);
    expect(printed.text).toMatch(/1 are unsent, not 7/);
    expect(await count('observations.sendUnsent')).toBe(0);
    expect(await run('observations', 'send-unsent', '--confirm', '1')).toBe(0);
    expect(printed.text).toMatch(/1 were mailed/);
    expect(await run('observations', 'send-unsent')).toBe(0);
    expect(printed.text).toMatch(/Nothing was mailed/);
  });

  test('a project has to be named when no share says which', async () => {
    expect(await run('observations', 'import', folder, '--company', '5001')).toBe(2);
    expect(await run('observations', 'import', folder, '--share', 'other')).toBe(2);
    expect(printed.text).toMatch(/--company and --project[\s\S]*no share "other"/);
  });
});
