// What stopped short, by its cause, with what cures it.
import type { JSX } from 'preact';
import { Name } from '../../parts/name';
import { tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import type { Operations } from './page';

type Group = Operations['stopped'][number];

interface StoppedProps {
  readonly page: Operations;
  /** null: all of them. */
  readonly onLook: (cause: string | null) => void;
}

export function Stopped({ page: { stopped }, onLook }: StoppedProps): JSX.Element {
  const words = texts.operations;
  const forUs = stopped.filter(({ goesOnByItself }) => !goesOnByItself);
  const count = forUs.reduce((sum, { batches }) => sum + batches, 0);
  return (
    <section class="panel-box" aria-labelledby="stopped-title">
      <header class="box-head">
        <h2 id="stopped-title">
          {words.stopped}
          {count === 0 ? null : <span class="count-badge">{tellNumber(count, reader())}</span>}
        </h2>
        {forUs.filter(({ mayResume }) => mayResume).length > 1 ? (
          <button type="button" class="button" onClick={() => onLook(null)}>
            {words.lookAll}
          </button>
        ) : null}
      </header>
      {stopped.length === 0 ? (
        <p class="box-empty quiet">{words.nothingStopped}</p>
      ) : (
        <table class="stopped-table">
          <thead>
            <tr>
              <th scope="col">{words.causeAndCure}</th>
              <th scope="col">{words.whatStands}</th>
              <th scope="col">{words.since}</th>
              <th scope="col">
                <span class="unseen">{words.lookFirst}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {stopped.map(group => (
              <GroupRow key={group.key} group={group} onLook={() => onLook(group.key)} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function GroupRow({ group, onLook }: { readonly group: Group; readonly onLook: () => void }): JSX.Element {
  const words = texts.operations;
  const { batches, documents } = group;
  const tell = (many: number) => tellNumber(many, reader());
  return (
    <tr>
      <td>
        <strong>
          <Name text={group.cause} />
        </strong>
        <p class="small quiet">
          <Name text={group.cure ?? words.cures[group.state]} />
        </p>
      </td>
      <td class="nums">{words.stands(tell(batches), batches === 1, tell(documents), documents === 1)}</td>
      <td class="quiet">{group.since === null ? '–' : tellTime(group.since, now.value, reader())}</td>
      <td class="act-cell">
        {group.goesOnByItself ? (
          <span class="small third">{words.goesOn}</span>
        ) : group.mayResume ? (
          <button type="button" class="button" onClick={onLook}>
            {words.lookFirst}
          </button>
        ) : null}
      </td>
    </tr>
  );
}
