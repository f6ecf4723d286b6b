// Operations: is anything away, must I act.
import './operations.css';
import type { JSX } from 'preact';
import { Failed, Loading } from '../../parts/states';
import { withQuery } from '../../shell/address';
import { useAsked } from '../../shell/asked';
import { me } from '../../shell/me';
import { address, navigate } from '../../shell/router';
import { sign } from '../../shell/sign';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { Badge, View } from '../../shell/view';
import { Band, verdictOf } from './band';
import { Charts } from './charts';
import { Parts } from './parts-table';
import { ResumeDialog } from './resume-dialog';
import { RequestsLeft, State } from './side';
import { Stopped } from './stopped';

const LOOK = '/operations/resume';

export const operationsView: View = {
  paths: ['/operations', LOOK],
  place: 'operations',
  Show: ShowOperations,
  useBadge,
};

function useBadge(): Badge | undefined {
  const data = sign.value;
  return data !== undefined && (data.isAway || data.mustAct) ? { kind: 'away' } : undefined;
}

/** The look at what resume would do has an address of its own: a link to it, or a reload, looks again. */
function lookAt(cause: string | null): void {
  navigate(withQuery(LOOK, { cause: cause ?? '' }), { replace: true });
}

function ShowOperations(): JSX.Element {
  const { data, problem, isSlow, again } = useAsked(
    'GET /api/operations',
    {},
    { topics: ['operations'], isLookedAt: true },
  );
  const { path, query } = address.value;
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
              <Stopped page={data} onLook={lookAt} />
            </div>
            <div class="operations-side">
              <RequestsLeft page={data} />
              <State page={data} />
            </div>
          </div>
          <Charts page={data} />
        </>
      )}
      {path === LOOK && me.value?.name != null ? (
        <ResumeDialog
          key={query.cause}
          cause={query.cause ?? null}
          onClose={() => {
            navigate('/operations', { replace: true });
            again();
          }}
        />
      ) : null}
    </div>
  );
}
