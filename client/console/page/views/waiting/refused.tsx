// Which answers were not taken: who had answered before and what they said, or why else.
import type { AnswersTold } from '../../../contract/waiting';
import { Name } from '../../parts/name';
import { tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts as catalogue } from '../../shell/texts';

const texts = catalogue.waiting;

interface RefusedProps {
  readonly refused: AnswersTold['refused'];
  readonly nameOf: (one: AnswersTold['refused'][number]) => string;
  readonly close: () => void;
}

export function Refused({ refused, nameOf, close }: RefusedProps) {
  return (
    <div class="panel-box waiting-refused" role="status">
      <ul>
        {refused.map(one => (
          <li key={`${one.batchId} ${one.index}`}>
            <strong>
              <Name text={nameOf(one)} />
            </strong>{' '}
            {one.before === null ? (
              <Name text={one.why} />
            ) : (
              <>
                {texts.locked(
                  one.before.by ?? texts.foot.somebody,
                  tellTime(one.before.at, now.value, reader()),
                )}
                : <Name text={one.before.said} />
              </>
            )}
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={close}>
        {catalogue.common.close}
      </button>
    </div>
  );
}
