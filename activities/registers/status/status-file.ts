// The status file of a job: one small page that any browser opens from the share, with nothing
// of ours running. No script, nothing from anywhere else, every name of people as text. Pure:
// the same page for the same facts.
import { createHash } from 'node:crypto';
import { roundEstimate, toSpokenTime } from '../words/local-time';
import { countAll, listVerdict, OUTCOME_WORDS, OUTCOMES, tellCount } from '../words/outcome-words';
import { escapeHtml, showText } from './html-text';
import { defineSigns, signOf } from './outcome-signs';
import { type CaseGroup, groupCases } from './status-cases';
import type { ExpectedEnd, StatusCase, StatusFacts, StatusNote, StatusOutage } from './status-facts';
import { STATUS_STYLE } from './status-style';
import { drawBar } from './tally-bar';

/** The page looks at the file again by itself: it is replaced while the job goes on. */
const REFRESH_SECONDS = 20;

/** The browser takes only this very style, and loads and runs nothing. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STATUS_STYLE).digest('base64')}'; form-action 'none'; base-uri 'none'`;

/** The whole file, UTF-8. */
export function writeStatusFile(facts: StatusFacts): string {
  const title = `${listSentences(facts)[0]?.split('. ')[0]?.replace(/\.$/, '')} · ${facts.jobName}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">`,
    `<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(plainText(title))}</title>`,
    `<style>${STATUS_STYLE}</style>`,
    '</head>',
    '<body>',
    defineSigns(),
    '<main>',
    writeHead(facts),
    ...groupCases(facts.cases).map(group => writeGroup(group, facts)),
    ...facts.notes.filter(({ names }) => names.length > 0).map(writeNote),
    writeFoot(facts),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function writeHead(facts: StatusFacts): string {
  const { tally } = facts;
  const [first = '', rest] = listSentences(facts);
  const items = OUTCOMES.filter(outcome => tally[outcome] > 0).map(
    outcome =>
      `<li class="${outcome}">${signOf(outcome)}${OUTCOME_WORDS[outcome].word} <b>${tellCount(tally[outcome])}</b></li>`,
  );
  return [
    `<h1>${showText(facts.jobName)}</h1>`,
    `<p class="verdict"><b>${first}</b> ${rest ?? ''} ${tellEnd(facts.end, facts)}</p>`,
    ...(facts.outages ?? []).map(
      ({ what, since }) =>
        `<p class="away">${AWAY[what]} since ${time(since, facts)}, as of the last attempt. What needs it waits, and goes on by itself.</p>`,
    ),
    ...tellUnread(facts),
    drawBar(tally),
    `<ul class="sum">${items.join('')}<li class="all">= <b>${tellCount(countAll(tally))}</b></li></ul>`,
  ].join('\n');
}

function listSentences({ tally, unread }: StatusFacts): readonly string[] {
  const isNothingKnown = unread !== undefined && countAll(tally) === 0;
  return isNothingKnown ? ['What is in it cannot be read.'] : listVerdict(tally);
}

function tellUnread({ unread }: StatusFacts): readonly string[] {
  if (unread === undefined) return [];
  const [of, its] = unread === 1 ? ['One batch', 'its'] : [`${tellCount(unread)} batches`, 'their'];
  return [`<p class="away">${of} of it cannot be read: ${its} files are not counted here.</p>`];
}

const AWAY: Readonly<Record<StatusOutage['what'], string>> = {
  api: 'The service is away',
  authentication: 'The sign-in of the service is away',
  storage: 'The storage of the service is away',
};

function tellEnd(end: ExpectedEnd, facts: StatusFacts): string {
  switch (end.kind) {
    case 'about':
      return `It ends at about ${time(roundEstimate(end.at, facts.writtenAt), facts)}.`;
    case 'when-answered':
      return 'It ends when the held ones are answered.';
    case 'when-whole':
      return `It goes when all that its register lists is there, ${time(end.at, facts)} at the latest.`;
    case 'over':
      return 'The receipt is being written.';
    case 'not-known':
      return 'When it ends is not known yet.';
  }
}

/** Names shown under one reason; the receipt has them all. */
const NAMES_SHOWN = 100;

function writeGroup({ first, cases }: CaseGroup, facts: StatusFacts): string {
  const { outcome, reason, whatToDo } = first;
  const { word } = OUTCOME_WORDS[outcome];
  const sinces = cases.map(({ since }) => tellSince(since, facts));
  // Said once, in the heading, where it is the same for all.
  const isOne = new Set(sinces).size === 1;
  const rows = cases.slice(0, NAMES_SHOWN).map((one, at) => writeRow(one, isOne ? '' : (sinces[at] ?? '')));
  return [
    `<section class="case"><header class="${outcome}">`,
    `<h2 class="kind ${outcome}">${signOf(outcome)}${word} <span>${tellCount(cases.length)}</span>${isOne ? sinces[0] : ''}</h2>`,
    `<p class="why">${showText(reason)}</p>`,
    ...(whatToDo === '' ? [] : [`<p class="cure">${showText(whatToDo)}</p>`]),
    `</header><table>${rows.join('')}</table>${writeMore(cases.length)}</section>`,
  ].join('\n');
}

const NOTES: Readonly<Record<StatusNote['kind'], readonly [word: string, why: string, cure: string]>> = {
  'not-there': [
    'Not there yet',
    'The register lists these files, and they are not in the folder.',
    'Copy them into the folder in drop. Without them the others go all the same, later.',
  ],
  'did-not-come': [
    'Not there',
    'The register lists these files, and they did not come in time.',
    'The others go without them. One that is copied into the folder in drop soon still goes with its row.',
  ],
  left: [
    'Left in drop',
    'No row of the register is about these files.',
    'They stay where they are until a register that lists them is dropped into their folder.',
  ],
};

function writeNote({ kind, names, inAll = names.length }: StatusNote): string {
  const [word, why, cure] = NOTES[kind];
  const rows = names.slice(0, NAMES_SHOWN).map(file => `<tr><td>${showText(file)}</td></tr>`);
  return [
    '<section class="case"><header>',
    `<h2 class="kind in-line">${signOf('in-line')}${word} <span>${tellCount(inAll)}</span></h2>`,
    `<p class="why">${why}</p>`,
    `<p class="cure">${cure}</p>`,
    `</header><table>${rows.join('')}</table>${writeMore(inAll)}</section>`,
  ].join('\n');
}

function writeRow({ file, row }: StatusCase, since: string): string {
  const head = row === undefined ? '' : `<th class="row" scope="row">row ${row}</th>`;
  return `<tr>${head}<td>${showText(file)} ${since}</td></tr>`;
}

/** To the minute: two that began to wait in one minute wait since the same time. */
function tellSince(since: string | undefined, { writtenAt, zone }: StatusFacts): string {
  if (since === undefined) return '';
  return `<span class="since">since ${toSpokenTime(since, writtenAt, zone)}</span>`;
}

function writeMore(length: number): string {
  if (length <= NAMES_SHOWN) return '';
  return `<p class="quiet more">and ${tellCount(length - NAMES_SHOWN)} more: all stand in the receipt.</p>`;
}

function writeFoot(facts: StatusFacts): string {
  const { register, jobId } = facts;
  const lines: (readonly [string, string])[] = [
    ['Dropped', time(facts.droppedAt, facts)],
    ['Share', showText(facts.share)],
    ...(register === undefined ? [] : [['Register', showText(register)] as const]),
    ...(jobId === undefined ? [] : [['Job', showText(jobId)] as const]),
  ];
  return [
    '<footer>',
    `<dl>${lines.map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`).join('')}</dl>`,
    `<p class="quiet">As of ${time(facts.writtenAt, facts)}, times of ${escapeHtml(facts.zone)}. This page renews itself, and goes when the receipt is there.</p>`,
    '</footer>',
  ].join('\n');
}

/** Shows the exact moment with its zone when the pointer rests on it. */
function time(instant: string, { writtenAt, zone }: StatusFacts): string {
  return `<time datetime="${escapeHtml(instant)}" title="${escapeHtml(instant)}">${toSpokenTime(instant, writtenAt, zone)}</time>`;
}

/** For the title of a window, which has no markup: what cannot be seen is left out. */
function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu, '');
}
