// Set apart: what is wrong, what cures it, and the ways back.
import './apart.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApartPage, ApartRow } from '../../../contract/apart';
import { AgainDialog } from '../../parts/again-dialog';
import { Chips } from '../../parts/chips';
import { Icon } from '../../parts/icons';
import { sharedPart } from '../../parts/shared-part';
import { Empty, Pending } from '../../parts/states';
import { announceNow } from '../../shell/announce';
import { useAsked } from '../../shell/asked';
import { tellNumber } from '../../shell/format';
import { useKeys } from '../../shell/keys';
import { may } from '../../shell/me';
import { reader, ZONE } from '../../shell/reader';
import { address, changeQuery } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { Badge, View } from '../../shell/view';
import { FileDialog } from './file-dialog';
import { GroupPart } from './group';
import { groupRows, jobOfAll, keyOf, mayAct, type ShownGroup } from './groups';
import { SheetDialog } from './sheet-dialog';
import { ValuesDialog } from './values-dialog';

export const apartView: View = {
  paths: ['/apart'],
  place: 'apart',
  Show: ShowApart,
  useBadge: useApartBadge,
};

function useApartBadge(): Badge | undefined {
  const { data } = useAsked('GET /api/apart/count', {}, { topics: ['apart', 'jobs'] });
  return data === undefined || data.count === 0 ? undefined : { kind: 'apart', count: data.count };
}

/** Which dialog is open, and for which rows. */
type Doing =
  | { readonly kind: 'again'; readonly rows: readonly ApartRow[] }
  | { readonly kind: 'values'; readonly rows: readonly ApartRow[] }
  | { readonly kind: 'file'; readonly row: ApartRow }
  | { readonly kind: 'sheet' };

function ShowApart(): JSX.Element {
  const words = texts.apart;
  const { data, problem, isSlow, again } = useAsked(
    'GET /api/apart',
    {},
    { topics: ['apart'], isLookedAt: true },
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [doing, setDoing] = useState<Doing | undefined>(undefined);
  const [told, setTold] = useState<readonly string[]>([]);
  const { by: given, reason, job, share } = address.value.query;
  const by = given === 'job' ? 'job' : 'reason';
  const groups = data === undefined ? [] : groupRows(data, { by, reason, job, share });
  const chosen = groups.flatMap(({ rows }) => rows.filter(row => mayAct(row) && selected.has(keyOf(row))));
  const shared = sharedPart(groups.flatMap(each => each.rows.map(({ number }) => number)));
  const end = (lines: readonly string[] | undefined) => {
    setDoing(undefined);
    if (lines === undefined) return;
    setTold(lines);
    announceNow(lines.join(' '));
    setSelected(new Set());
    again();
  };
  const mayUpload = may('answer');
  useTitle(data === undefined || data.count === 0 ? words.title : words.verdict(tell(data.count)));
  useKeys({
    ...(chosen.length > 0 ? { T: () => setDoing({ kind: 'again', rows: chosen }) } : {}),
    ...(jobOfAll(chosen) !== undefined ? { E: () => setDoing({ kind: 'values', rows: chosen }) } : {}),
  });
  const toggle = (rows: readonly ApartRow[], isOn: boolean) => {
    const next = new Set(selected);
    for (const row of rows) {
      if (isOn) next.add(keyOf(row));
      else next.delete(keyOf(row));
    }
    setSelected(next);
  };
  return (
    <div class="view apart">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>{words.title}</h1>
          {data === undefined ? null : <ApartSentence page={data} />}
        </div>
        {mayUpload ? (
          <div class="actions">
            <button type="button" class="button" onClick={() => setDoing({ kind: 'sheet' })}>
              <Icon name="upload" /> {words.upload}
            </button>
          </div>
        ) : null}
      </div>
      <div class="filter-row">
        <Chips
          label={words.by}
          chosen={by}
          onChoose={value => changeQuery({ by: value === 'job' ? 'job' : '' })}
          chips={[
            { value: 'reason', label: words.byReason },
            { value: 'job', label: words.byJob },
          ]}
        />
        <ShareChips page={data} chosen={share} />
      </div>
      {told.length === 0 ? null : <Told lines={told} onClose={() => setTold([])} />}
      {data?.unread.map(line => (
        <p key={line} class="away-line">
          {line}
        </p>
      ))}
      {data === undefined ? <Pending problem={problem} isSlow={isSlow} again={again} /> : null}
      {data === undefined ? null : <Found page={data} groups={groups} />}
      {data === undefined || groups.length === 0 ? null : (
        <div class="panel-box apart-box">
          {groups.map(group => (
            <GroupPart
              key={group.id}
              group={group}
              shared={shared}
              by={by}
              selected={selected}
              onToggle={toggle}
              onAgain={rows => setDoing({ kind: 'again', rows })}
              onCorrect={rows => setDoing({ kind: 'values', rows })}
              onReplace={row => setDoing({ kind: 'file', row })}
            />
          ))}
          <Foot page={data} mayAct={mayUpload} />
        </div>
      )}
      {chosen.length > 0 ? (
        <section class="apart-bar" aria-label={words.selected(tell(chosen.length))}>
          <span>{words.selected(tell(chosen.length))}</span>
          <span class="actions">
            <button type="button" class="button plain" onClick={() => setSelected(new Set())}>
              {words.clear}
            </button>
            {jobOfAll(chosen) === undefined ? null : (
              <button type="button" class="button" onClick={() => setDoing({ kind: 'values', rows: chosen })}>
                {words.correct}
              </button>
            )}
            <button
              type="button"
              class="button primary"
              onClick={() => setDoing({ kind: 'again', rows: chosen })}
            >
              {words.tryAgain(tell(chosen.length))}
            </button>
          </span>
        </section>
      ) : null}
      {doing?.kind === 'again' ? <AgainDialog rows={doing.rows} onEnd={end} /> : null}
      {doing?.kind === 'values' ? <ValuesDialog rows={doing.rows} onEnd={end} /> : null}
      {doing?.kind === 'file' ? <FileDialog row={doing.row} onEnd={end} /> : null}
      {doing?.kind === 'sheet' ? <SheetDialog onEnd={end} /> : null}
    </div>
  );
}

function tell(count: number): string {
  return tellNumber(count, reader());
}

function ApartSentence({ page: { count } }: { readonly page: ApartPage }): JSX.Element {
  const words = texts.apart;
  if (count === 0) return <p class="sentence">{words.none}</p>;
  return (
    <p class="sentence">
      <strong>{words.didNot(tell(count), count === 1)}</strong>
      {words.lie(count === 1)}
    </p>
  );
}

function ShareChips({
  page,
  chosen,
}: {
  readonly page: ApartPage | undefined;
  readonly chosen: string | undefined;
}) {
  const words = texts.apart;
  const shares = [...new Set(page?.rows.map(({ share }) => share))];
  if (shares.length < 2 && chosen === undefined) return null;
  return (
    <Chips
      label={words.share}
      chosen={chosen ?? ''}
      onChoose={share => changeQuery({ share })}
      chips={[
        { value: '', label: words.anyShare },
        ...shares.map(share => ({ value: share, label: <bdi>{share}</bdi> })),
      ]}
    />
  );
}

function Found({ page, groups }: { readonly page: ApartPage; readonly groups: readonly ShownGroup[] }) {
  const words = texts.apart;
  if (groups.length > 0) return null;
  if (page.count === 0)
    return (
      <div class="panel-box">
        <Empty icon="file-x" title={words.none}>
          <p>{words.noneMeans}</p>
        </Empty>
      </div>
    );
  return (
    <div class="panel-box">
      <Empty title={words.noHit}>
        <button type="button" class="button" onClick={() => changeQuery({ reason: '', job: '', share: '' })}>
          {words.showAll}
        </button>
      </Empty>
    </div>
  );
}

function Foot({ page, mayAct }: { readonly page: ApartPage; readonly mayAct: boolean }): JSX.Element {
  const words = texts.apart;
  const isCut = page.rows.length < page.count;
  return (
    <p class="apart-foot">
      {mayAct ? (
        <span class="wide-only">
          <kbd>Space</kbd> {words.space} <kbd>T</kbd> {words.keys}, <kbd>E</kbd> {words.keysCorrect}
        </span>
      ) : null}
      <span>
        {isCut ? `${words.firstOf(tell(page.rows.length), tell(page.count))} ` : ''}
        {words.leave}. {texts.common.zone(ZONE)}
      </span>
    </p>
  );
}

function Told({
  lines,
  onClose,
}: {
  readonly lines: readonly string[];
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <div class="apart-told">
      <ul>
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <button type="button" class="button bare" aria-label={texts.common.close} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}
