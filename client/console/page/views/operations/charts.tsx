// The same day in numbers, on one axis of time: four that are asked for first, the others below. Pointer and
// arrow keys read the values of one time in all of them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { Operations } from './page';

type Key = keyof Operations['day']['numbers'];
const FIRST = ['submitted', 'requests', 'drop', 'answerMs'] as const satisfies readonly Key[];
const MORE = ['held', 'setApart', 'batches', 'bytes', 'left', 'refused'] as const satisfies readonly Key[];

const QUARTER_MS = 15 * 60_000;
/** Bytes are shown as megabytes. */
const BYTES_SHOWN = 1_000_000;
const WIDE = 288;
const HIGH = 88;

export function Charts({ page }: { readonly page: Operations }): JSX.Element {
  const [at, setAt] = useState<number>();
  const service = page.parts.find(({ kind }) => kind === 'service')?.marks ?? '';
  const untilMs = new Date(page.marksUntil).getTime();
  const timeOf = (place: number) =>
    tellTime(new Date(untilMs - (service.length - place) * QUARTER_MS), now.value, reader());
  const draw = (keys: readonly Key[]) => (
    <div class="charts">
      {keys.map(key => (
        <Chart key={key} name={key} page={page} outage={service} at={at} onAt={setAt} timeOf={timeOf} />
      ))}
    </div>
  );
  return (
    <>
      {draw(FIRST)}
      <details class="more-charts">
        <summary>{texts.operations.moreNumbers}</summary>
        {draw(MORE)}
      </details>
    </>
  );
}

interface ChartProps {
  readonly name: Key;
  readonly page: Operations;
  readonly outage: string;
  readonly at: number | undefined;
  readonly onAt: (place: number | undefined) => void;
  readonly timeOf: (place: number) => string;
}

function Chart({ name, page, outage, at, onAt, timeOf }: ChartProps): JSX.Element {
  const words = texts.operations;
  const values = page.day.numbers[name].map(value =>
    value !== null && name === 'bytes' ? value / BYTES_SHOWN : value,
  );
  const last = values.length - 1;
  const shown = at ?? last;
  const value = values[shown] ?? null;
  const limit = name === 'requests' ? page.day.requestsLimit : null;
  const most = Math.max(1, limit ?? 0, ...values.map(each => each ?? 0));
  const text = value === null ? '–' : tellNumber(Math.round(value), reader());
  const unit = [words.units[name], ...(limit === null ? [] : [words.limitOf(tellNumber(limit, reader()))])];
  const move = (by: number) => onAt(Math.min(last, Math.max(0, shown + by)));
  const id = `chart-${name}`;
  return (
    <section class="panel-box chart" aria-labelledby={id}>
      <header>
        <h3 id={id}>{words.charts[name]}</h3>
        <p class="small quiet" aria-live="off">
          <b class="nums">{text}</b> {unit.join(', ')} {at === undefined ? null : words.at(timeOf(at))}
        </p>
      </header>
      {values.every(each => each === null) ? (
        <p class="chart-none small third">{words.noNumbers}</p>
      ) : (
        <div
          role="slider"
          tabIndex={0}
          aria-label={`${words.charts[name]}. ${words.chartHelp}`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={shown}
          aria-valuetext={`${timeOf(shown)}: ${text} ${words.units[name]}`}
          onKeyDown={event => {
            if (event.key === 'ArrowLeft') move(-1);
            else if (event.key === 'ArrowRight') move(1);
            else if (event.key === 'Home') onAt(0);
            else if (event.key === 'End') onAt(last);
            else if (event.key === 'Escape') onAt(undefined);
            else return;
            event.preventDefault();
          }}
          onBlur={() => onAt(undefined)}
          onPointerMove={event => {
            const { left, width } = event.currentTarget.getBoundingClientRect();
            const place = Math.floor(((event.clientX - left) / width) * values.length);
            onAt(Math.min(last, Math.max(0, place)));
          }}
          onPointerLeave={() => onAt(undefined)}
        >
          <Drawing values={values} most={most} limit={limit} outage={outage} at={at} />
        </div>
      )}
      <p class="chart-axis small third" aria-hidden="true">
        <span>{timeOf(0)}</span>
        <span>{timeOf(Math.floor(values.length / 2))}</span>
        <span>{timeOf(last)}</span>
      </p>
      <details class="chart-table small">
        <summary>{words.asTable}</summary>
        <Table name={name} values={values} timeOf={timeOf} />
      </details>
    </section>
  );
}

interface DrawingProps {
  readonly values: readonly (number | null)[];
  readonly most: number;
  readonly limit: number | null;
  readonly outage: string;
  readonly at: number | undefined;
}

function Drawing({ values, most, limit, outage, at }: DrawingProps): JSX.Element {
  const step = WIDE / values.length;
  const xOf = (place: number) => (place + 0.5) * step;
  const yOf = (value: number) => HIGH - 2 - (value / most) * (HIGH - 6);
  const lines = toLines(values);
  return (
    <svg class="drawing" viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
      {[...outage].map((mark, place) =>
        mark === 'a' ? (
          <rect key={place} class="outage-time" x={place * step} y="0" width={step} height={HIGH} />
        ) : null,
      )}
      {limit === null ? null : <line class="limit" x1="0" x2={WIDE} y1={yOf(limit)} y2={yOf(limit)} />}
      {lines.map(line => {
        const points = line.map(([place, value]) => `${xOf(place)},${yOf(value)}`);
        const [first, end] = [line[0]?.[0] ?? 0, line.at(-1)?.[0] ?? 0];
        return (
          <g key={first}>
            <polygon
              class="ground"
              points={`${xOf(first)},${HIGH} ${points.join(' ')} ${xOf(end)},${HIGH}`}
            />
            <polyline
              class="line"
              points={points.length === 1 ? `${points[0]} ${points[0]}` : points.join(' ')}
            />
          </g>
        );
      })}
      {at === undefined ? null : <line class="reading" x1={xOf(at)} x2={xOf(at)} y1="0" y2={HIGH} />}
    </svg>
  );
}

/** Lines of [place, value]. Where nobody looked (null) a line ends, so that none is drawn through it. */
function toLines(values: readonly (number | null)[]): readonly (readonly [number, number])[][] {
  const lines: [number, number][][] = [];
  let isOpen = false;
  for (const [place, value] of values.entries()) {
    if (value === null) {
      isOpen = false;
      continue;
    }
    if (!isOpen) lines.push([]);
    isOpen = true;
    lines.at(-1)?.push([place, value]);
  }
  return lines;
}

interface TableProps {
  readonly name: Key;
  readonly values: readonly (number | null)[];
  readonly timeOf: (place: number) => string;
}

function Table({ name, values, timeOf }: TableProps): JSX.Element {
  const words = texts.operations;
  const known = [...values.entries()].filter(([, value]) => value !== null).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keys
    <section class="chart-rows" tabIndex={0} aria-label={words.charts[name]}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            <th scope="col">{words.units[name]}</th>
          </tr>
        </thead>
        <tbody>
          {known.map(([place, value]) => (
            <tr key={place}>
              <td>{timeOf(place)}</td>
              <td class="nums">{tellNumber(Math.round(value ?? 0), reader())}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
