// Operations: is anything away, must I act.
import './operations.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Failed, Loading } from '../../parts/states';
import { useAsked } from '../../shell/asked';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { Badge, View } from '../../shell/view';
import { Band, verdictOf } from './band';
import { Charts } from './charts';
import { Parts } from './parts-table';
import { ResumeDialog } from './resume-dialog';
import { RequestsLeft, State } from './side';
import { Stopped } from './stopped';

export const operationsView: View = {
  paths: ['/operations', '/operations/resume'],
  place: 'operations',
  Show: ShowOperations,
  useBadge,
};

function useBadge(): Badge | undefined {
  const { data } = useAsked('GET /api/operations/sign', {}, { topics: ['operations'] });
  return data !== undefined && (data.isAway || data.mustAct) ? { kind: 'away' } : undefined;
}

/** Of what resume is looked at: a cause, or null for all. */
type Looked = { readonly cause: string | null };

function ShowOperations(): JSX.Element {
  const { data, problem, isSlow, again } = useAsked('GET /api/operations', {}, { topics: ['operations'] });
  const [looked, setLooked] = useState<Looked>();
  useTitle(data === undefined ? texts.operations.title : verdictOf(data));
  return (
    <div class="view operations">
      <h1 class="unseen" tabIndex={-1}>
        {texts.operations.title}
      </h1>
      {problem !== undefined && data === undefined ? <Failed problem={problem} again={again} /> : null}
      {isSlow ? <Loading /> : null}
      {data === undefined ? null : (
        <>
          <Band page={data} />
          <div class="operations-columns">
            <div class="operations-main">
              <Parts page={data} />
              <Stopped page={data} onLook={cause => setLooked({ cause })} />
            </div>
            <div class="operations-side">
              <RequestsLeft page={data} />
              <State page={data} />
            </div>
          </div>
          <Charts page={data} />
        </>
      )}
      {looked === undefined ? null : (
        <ResumeDialog
          cause={looked.cause}
          onClose={() => {
            setLooked(undefined);
            again();
          }}
        />
      )}
    </div>
  );
}
