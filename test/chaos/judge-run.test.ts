// The judge on a real run: what the product leaves behind after a clean batch has
// nothing in it that must not be.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeWorkbook } from '../../activities/registers/write/write-workbook';
import { pdfs } from '../end-to-end/agreement';
import { DEFAULT_PROJECTS } from '../sandbox/defaults';
import { FAST_SHARE, Rig } from '../setup/rig';
import { judge } from './judge';
import { describeEnd } from './judge-end';
import { collectEvidence } from './judge-evidence';
import { mostRequestsOf } from './request-budget';

jest.setTimeout(120_000);

test('a clean batch is judged clean, and what is taken away from it is missed', async () => {
  const rig = await Rig.start();
  try {
    await rig.startWatcher();
    await rig.startWorker();
    const hashes = rig.dropFiles({ ...pdfs(3), 'Package A/plan.pdf': '%PDF plan', 'empty.pdf': '' });
    await rig.untilSettled(5);
    const dropped = [...hashes].map(([path, sha256]) => ({ path, sha256, healthy: path !== 'empty.pdf' }));
    const evidence = await collectEvidence(rig.control, join(rig.folder, 'share'), dropped);
    const judgement = {
      mode: 'at-rest',
      case: 'clean',
      projectId: DEFAULT_PROJECTS.plain,
      values: FAST_SHARE,
      mostRequests: mostRequestsOf(evidence, { workers: 1 }),
    } as const;
    expect(judge(evidence, judgement)).toEqual([]);
    expect(describeEnd(evidence).filter(line => line.startsWith('revision'))).toHaveLength(4);
    const fewer = { ...evidence, revisions: evidence.revisions.slice(1) };
    expect(judge(fewer, judgement).length).toBeGreaterThan(0);
  } finally {
    await rig.close();
  }
});

test.each(['csv', 'xlsx'])('the %s in which a job gets its register back is judged as well', async ending => {
  const rig = await Rig.start({ share: { register: { wait: 0 }, missing: 'set-apart' } });
  try {
    await rig.startWatcher();
    await rig.startWorker();
    const name = `Package A/register.${ending}`;
    const rows = [
      ['File', 'Number', 'Type'],
      ['plan', 'N-1', 'Document'],
      ['wrong.pdf', 'N-2', '=Docment & <more>'],
      ['never came', 'N-3', 'Document'],
    ];
    const register =
      ending === 'csv'
        ? rows.map(cells => cells.join(';')).join('\r\n')
        : await writeWorkbook({
            title: 'Register',
            madeAt: new Date(0),
            sheets: [{ name: 'Register', widths: [20, 9, 9], rows: rows.map(cells => cells.map(toCell)) }],
          });
    const files = {
      'Package A/plan.pdf': '%PDF plan',
      'Package A/wrong.pdf': '%PDF wrong',
    };
    const hashes = rig.dropFiles({ [name]: register, ...files });
    await rig.untilSettled(2);
    // The register comes last: with it all of the job has ended.
    const ended = () => [...rig.filesIn('done'), ...rig.filesIn('attention')];
    while (!ended().includes(name)) await delay(50);
    const dropped = [...hashes].map(([path, sha256]) => ({ path, sha256 }));
    const evidence = await collectEvidence(rig.control, join(rig.folder, 'share'), dropped);
    const judgement = {
      mode: 'at-rest',
      case: 'register',
      projectId: DEFAULT_PROJECTS.plain,
      values: {
        ...FAST_SHARE,
        rows: new Map([['Package A/plan.pdf', { Number: 'N-1', Type: 'Document' }]]),
      },
      mostRequests: mostRequestsOf(evidence, { workers: 1 }),
    } as const;
    expect(judge(evidence, judgement)).toEqual([]);
    const sheets = evidence.share.receipts.flatMap(({ sheet, ...rest }) =>
      sheet === undefined || sheet === 'unreadable' ? [] : [{ ...rest, sheet }],
    );
    expect(sheets.map(({ place, name: called }) => `${place}/${called}`)).toEqual([
      `done/receipt-register.${ending}`,
      `attention/receipt-register.${ending}`,
    ]);
    expect(sheets[0]?.sheet.map(({ outcome, file }) => [outcome, file])).toEqual([
      ['Through', 'plan'],
      ['Set apart', 'wrong.pdf'],
      ['Set apart', 'never came'],
    ]);
  } finally {
    await rig.close();
  }
});

function toCell(text: string) {
  return { text, look: 'text' as const };
}
