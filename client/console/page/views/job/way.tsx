// The whole way of a document, in sentences: the newest at the end, what comes next dashed.
import type { JSX } from 'preact';
import type { RowDetail } from '../../../contract/jobs';
import { copyText } from '../../parts/copy';
import { Told } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { wayAsText } from './way-as-text';

export function Way({ detail }: { readonly detail: RowDetail }): JSX.Element {
  const words = texts.job.panel;
  return (
    <section>
      <div class="section-head">
        <h3>{words.way}</h3>
        <button
          type="button"
          class="link-button small"
          onClick={() => void copyText(wayAsText(detail, reader()))}
        >
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
