import type { OperatorActivity } from '../api/api.types.js';
import { Icon } from '../components/icon.js';
import { ObjectLink } from '../components/object.link.js';
import { Panel } from '../components/panel.js';
import { Time } from '../components/times.js';
import { formatCount, formatNumberOf } from '../platform/format.js';
import { hrefOf } from '../routing/location.js';

/** Objects of a group that are listed before the viewer asks for all. */
const LISTED = 20;

/** Attempts that fail, one group for each error, the one of the most objects first. */
export function FailingGroups({ now: { failing, totals } }: { readonly now: OperatorActivity }) {
  return (
    <Panel title="Failing" id="failing" count={formatCount(totals.failing)}>
      <ul class="groups">
        {failing.map((group) => (
          <li key={`${group.handler}/${group.error}`}>
            <details class="group">
              <summary data-row="">
                <Icon name="right" class="group-arrow" />
                <span class="group-error">{group.error}</span>
                <span class="group-facts">
                  <span class="badge tone-notice">
                    <Icon name="failing" />
                    {formatNumberOf(group.count, 'object')}
                  </span>
                  {group.handler !== undefined && <span class="mono">{group.handler}</span>}
                  <span class="soft">
                    last <Time at={group.lastAt} />, first <Time at={group.firstAt} />
                  </span>
                </span>
              </summary>
              <ul class="group-objects">
                {group.objects.slice(0, LISTED).map((object) => (
                  <li key={`${object.resource}/${object.namespace}/${object.name}`}>
                    <ObjectLink object={object} />
                  </li>
                ))}
              </ul>
              {group.count > LISTED && (
                <p class="panel-foot">
                  <a href={hrefOf(['objects'], { handler: group.handler, retries: 1, sort: '-retries' })}>
                    All objects on which {group.handler ?? 'a handler'} fails
                  </a>
                </p>
              )}
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
