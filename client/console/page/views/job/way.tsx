// The whole way of a document, in sentences: the newest at the end, what comes next dashed.
import type { JSX } from 'preact';
import type { RowDetail } from '../../../contract/jobs';
import { copyText } from '../../parts/copy';
import { Told } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { tellClock, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { labelOf } from './shown-rows';

export function Way({ detail }: { readonly detail: RowDetail }): JSX.Element {
  const words = texts.job.panel;
  return (
    <section>
      <div class="section-head">
        <h3>{words.way}</h3>
        <button type="button" class="link-button small" onClick={() => void copyText(asText(detail))}>
          {words.copy}
        </button>
      </div>
      <ol class="way">
        {detail.way.map(({ at, text, detail: more, outcome, hasHappened }, step) => (
          <li key={step} class={hasHappened ? '' : 'is-ahead'}>
            {at === null ? (
              <span />
            ) : (
              <time class="nums" dateTime={at} title={at}>
                {hasHappened ? '' : words.by}
                {tellTime(at, now.value, reader())}
              </time>
            )}
            <span class="way-sign">
              {outcome === null ? (
                <span class="way-dot" />
              ) : (
                <span class={`of-${outcome}`}>
                  <Sign outcome={outcome} />
                </span>
              )}
            </span>
            <div>
              <p class={outcome === null ? 'wraps' : 'wraps strong'}>
                <Told text={hasHappened ? text : words.ahead(text)} />
              </p>
              {more === null ? null : (
                <p class="small quiet wraps">
                  <Told text={more} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** For a message to somebody: each time as ISO 8601 in UTC, with the clock of the reader's zone behind it. */
function asText(detail: RowDetail): string {
  const lines = detail.way.map(({ at, text, detail: more }) =>
    [at === null ? '' : `${at} (${tellClock(at, reader())})`, text, more].filter(Boolean).join('  '),
  );
  return [`${labelOf(detail)} ${detail.revision ?? ''}`.trim(), ...lines].join('\n');
}
