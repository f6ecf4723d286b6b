// The style of a job's status file: the page's colours, light and dark as the reader's machine is. Pure.
import { SIGN_STYLE } from './outcome-signs';
import { BAR_STYLE } from './tally-bar';

const LIGHT = toVariables({
  canvas: '#F6F7F8',
  surface: '#FFFFFF',
  sunken: '#EEF0F3',
  line: '#E3E6EA',
  ink: '#161A20',
  'ink-2': '#48515C',
  'ink-3': '#616B77',
  through: '#17703F',
  'through-fill': '#2F9A62',
  'through-soft': '#E7F4ED',
  held: '#875000',
  'held-fill': '#C77C00',
  'held-soft': '#FDF3DF',
  'set-apart': '#AB281D',
  'set-apart-fill': '#A81F16',
  'set-apart-soft': '#FCECEA',
  way: '#43566F',
  'on-the-way-fill': '#7F91A9',
  'in-line-fill': '#7F91A9',
});

const DARK = toVariables({
  canvas: '#0E1115',
  surface: '#15191E',
  sunken: '#0B0E11',
  line: '#262C34',
  ink: '#E8EBEF',
  'ink-2': '#AEB7C2',
  'ink-3': '#8C96A3',
  through: '#63CC95',
  'through-fill': '#4BB580',
  'through-soft': '#13271D',
  held: '#EFB654',
  'held-fill': '#EBAA35',
  'held-soft': '#2B2112',
  'set-apart': '#FF9389',
  'set-apart-fill': '#CE463B',
  'set-apart-soft': '#301A18',
  way: '#AFBFD4',
  'on-the-way-fill': '#62768F',
  'in-line-fill': '#62768F',
});

export const STATUS_STYLE = [
  `:root{color-scheme:light dark;${LIGHT}}`,
  `@media (prefers-color-scheme:dark){:root{${DARK}}}`,
  '*{box-sizing:border-box}',
  'body{margin:0;background:var(--canvas);color:var(--ink);font:14px/20px Inter,"Segoe UI",system-ui,sans-serif;overflow-wrap:anywhere}',
  'main{max-width:944px;margin:0 auto;padding:28px 32px 40px}',
  'h1{font-size:20px;line-height:28px;font-weight:620;margin:0}',
  'h2{font-size:17px;line-height:24px;font-weight:620;margin:28px 0 10px}',
  'p{margin:0}',
  '.verdict{margin:4px 0 14px;font-size:15px;line-height:22px;color:var(--ink-2)}.verdict b{color:var(--ink);font-weight:620}',
  '.away{margin:0 0 14px;color:var(--held)}',
  '.quiet{color:var(--ink-3);font-size:12px;line-height:16px}',
  '.sum{list-style:none;display:flex;flex-wrap:wrap;gap:6px 20px;margin:10px 0 4px;padding:0}',
  '.sum li{display:flex;align-items:center;gap:6px;font-weight:560}.sum b{color:var(--ink);font-variant-numeric:tabular-nums;font-weight:650}',
  '.through,.already-there{color:var(--through)}.on-the-way,.in-line{color:var(--way)}.held{color:var(--held)}.set-apart{color:var(--set-apart)}',
  '.sum .all{color:var(--ink-2)}',
  '.sum+.case{margin-top:22px}',
  '.case{background:var(--surface);border:1px solid var(--line);border-radius:10px;margin:0 0 12px;overflow:hidden}',
  '.case header{padding:12px 16px;border-bottom:1px solid var(--line)}.case header.held{background:var(--held-soft)}.case header.set-apart{background:var(--set-apart-soft)}',
  '.case .kind{display:flex;align-items:center;gap:6px;font-size:14px;line-height:20px;margin:0 0 4px}.case .why{color:var(--ink)}.case .cure{color:var(--ink-2)}',
  '.case header svg.sign{--surface:var(--held-soft)}.case header.set-apart svg.sign{--surface:var(--set-apart-soft)}',
  'table{border-collapse:collapse;width:100%;font-size:13px}td,th{padding:6px 16px;text-align:left;vertical-align:top;font-weight:400}',
  '.since{color:var(--ink-3);font-size:12px;font-weight:400;white-space:nowrap}',
  'tr+tr>*{border-top:1px solid var(--line)}th.row{color:var(--ink-3);width:5.5em;white-space:nowrap;font-variant-numeric:tabular-nums}',
  'dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:0;font-size:13px}dt{color:var(--ink-3)}dd{margin:0}',
  'small{font-size:10px;border:1px solid currentColor;border-radius:3px;padding:0 2px;margin:0 1px}',
  'footer{margin-top:28px}footer .quiet{margin-top:14px}.more{padding:8px 16px;border-top:1px solid var(--line)}',
  '@media (max-width:600px){main{padding:18px 14px 28px}td,th{padding:6px 12px}}',
  SIGN_STYLE,
  BAR_STYLE,
].join('\n');

function toVariables(colours: Readonly<Record<string, string>>): string {
  return Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}
