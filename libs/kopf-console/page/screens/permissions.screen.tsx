import type { InspectedPermission } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { Icon } from '../components/icon.js';
import { ScreenHead } from '../components/panel.js';
import { Answered, EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { useAnswer } from '../live/use.answer.js';
import { formatCount, formatNumberOf } from '../platform/format.js';

/** The permissions that the operator needs, beside those that it uses and has. */
export function PermissionsScreen() {
  const answer = useAnswer<readonly InspectedPermission[]>('permissions');
  return (
    <div class="screen">
      <ScreenHead
        title="Permissions"
        lead="What handlers and features need, what was used, and what the API server grants."
      >
        <button type="button" class="button" onClick={answer.refresh}>
          <Icon name="failing" /> Ask again
        </button>
      </ScreenHead>
      <Answered answer={answer}>
        {(permissions) =>
          permissions.length === 0 ? (
            <EmptyState
              icon="permissions"
              title="No permissions are known"
              code="kopf manifests rbac ./dist/app.module.js"
            >
              The command writes the roles that the handlers of an application need.
            </EmptyState>
          ) : (
            <PermissionTable permissions={permissions} />
          )
        }
      </Answered>
    </div>
  );
}

/** Permissions that are missing come first, those that nothing uses last. */
function rank({ granted, used }: InspectedPermission): number {
  if (granted === false) return 0;
  return used > 0 ? 1 : 2;
}

function PermissionTable({ permissions }: { readonly permissions: readonly InspectedPermission[] }) {
  const sorted = [...permissions].sort((a, b) => rank(a) - rank(b));
  const missing = permissions.filter(({ granted }) => granted === false).length;
  return (
    <>
      {missing > 0 && (
        <p class="notice tone-bad" role="alert">
          <Icon name="failed" /> {formatNumberOf(missing, 'permission is', 'permissions are')} missing.
        </p>
      )}
      <TableScroll label="Permissions" cards>
        <TableHead columns={['Verb', 'Resource', 'Namespace', 'Granted', '#Used', 'Needed by']} />
        <tbody>
          {sorted.map((each) => (
            <tr key={`${each.verb} ${each.group} ${each.resource} ${each.namespace}`}>
              <Cell kind="mono cell-lead">{each.verb}</Cell>
              <Cell kind="mono cell-heading">{each.group ? `${each.resource}.${each.group}` : each.resource}</Cell>
              <Cell label="Namespace">{each.namespace ?? <span class="soft">all</span>}</Cell>
              <Cell>
                <Granted granted={each.granted} />
              </Cell>
              <Cell label="Used" kind="number">
                {each.used > 0 ? formatCount(each.used) : <span class="soft">–</span>}
              </Cell>
              <Cell label="Needed by" kind="cell-line">
                <NeededBy names={each.neededBy} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </TableScroll>
    </>
  );
}

/** The number of names that are shown before the user asks for all. */
const SHOWN = 3;

function NeededBy({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0)
    return (
      <span
        class="soft"
        title="No handler, and no feature that is on, is known to need it. Code of the application that uses the operator's client may."
      >
        no known handler or feature
      </span>
    );
  if (names.length <= SHOWN + 1) return <>{names.join(', ')}</>;
  return (
    <details>
      <summary>
        {names.slice(0, SHOWN).join(', ')}, and {names.length - SHOWN} more
      </summary>
      {names.slice(SHOWN).join(', ')}
    </details>
  );
}

function Granted({ granted }: { readonly granted: InspectedPermission['granted'] }) {
  if (granted === 'unknown') return <Badge tone="neutral" icon="info" text="Unknown" />;
  return granted ? <Badge tone="good" icon="idle" text="Granted" /> : <Badge tone="bad" icon="failed" text="Missing" />;
}
