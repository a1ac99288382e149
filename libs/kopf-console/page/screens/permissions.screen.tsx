import type { InspectedPermission } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { Icon } from '../components/icon.js';
import { ScreenHead } from '../components/panel.js';
import { RecordedSince } from '../components/recorded.since.js';
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
      <Notes permissions={permissions} />
    </>
  );
}

/** Says what words of the table mean where it is that nothing is known. */
function Notes({ permissions }: { readonly permissions: readonly InspectedPermission[] }) {
  const isUnneeded = permissions.some(({ neededBy }) => neededBy.length === 0);
  const isUnknown = permissions.some(({ granted }) => granted === 'unknown');
  const isUnused = permissions.some(({ used }) => used === 0);
  return (
    <ul class="table-notes soft">
      {isUnneeded && (
        <li>
          <strong>No known handler or feature:</strong> the operator has used the permission, but neither a decorator
          nor a feature that is on explains why. It is code of the application that uses the operator’s client;{' '}
          <code>@Needs()</code> on its class names the permission here, and in generated roles.
        </li>
      )}
      {isUnknown && (
        <li>
          <strong>Unknown:</strong> the API server did not list all rules of the operator’s account, and none of those
          that it listed grants the permission. <code>kubectl auth can-i</code> answers for one.
        </li>
      )}
      {isUnused && (
        <li>
          <strong>Used –:</strong> no request has needed it <RecordedSince />.
        </li>
      )}
    </ul>
  );
}

/** The number of names that are shown before the user asks for all. */
const SHOWN = 3;

function NeededBy({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <span class="soft">no known handler or feature</span>;
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
