// Which columns the table has: kept in this browser, for all jobs whose registers have them.
import type { JSX } from 'preact';
import { Icon } from '../../parts/icons';
import { Menu } from '../../parts/menu';
import { prefer, preferences } from '../../shell/preferences';
import { texts } from '../../shell/texts';
import { MAY_BE_HIDDEN } from './columns';

function turn(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list.filter(each => each !== one) : [...list, one];
}

/** @param own headers that the registers of the job have */
export function ColumnsMenu({ own }: { readonly own: readonly string[] }): JSX.Element {
  const { hiddenColumns, ownColumns } = preferences.value;
  const words = texts.job;
  return (
    <div class="job-columns">
      <Menu
        label={words.columnsMenu}
        items={[
          ...MAY_BE_HIDDEN.map(key => ({
            label: words.columns[key],
            isChecked: !hiddenColumns.includes(key),
            act: () => prefer({ hiddenColumns: turn(hiddenColumns, key) }),
          })),
          ...own.map(header => ({
            label: words.ownColumn(header),
            isChecked: ownColumns.includes(header),
            act: () => prefer({ ownColumns: turn(ownColumns, header) }),
          })),
        ]}
      >
        <Icon name="columns" /> {words.columnsMenu}
      </Menu>
    </div>
  );
}
