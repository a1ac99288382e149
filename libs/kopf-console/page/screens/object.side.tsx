import type { InspectedEvent, InspectedObjectDetails } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { Differences } from '../components/differences.js';
import { Icon } from '../components/icon.js';
import { Panel } from '../components/panel.js';
import { Time } from '../components/times.js';
import { Relatives } from './object.relatives.js';

/** Everything about an object beside its history: what has changed, who holds it, and what belongs to it. */
export function ObjectSide({ details }: { readonly details: InspectedObjectDetails }) {
  const { changes, finalizers, daemons, relatives, kubernetesEvents, object } = details;
  return (
    <>
      {changes.length > 0 && (
        <Panel title="Changes to be handled" id="changes" count={changes.length}>
          <Differences changes={changes} label="Changes since it was handled last" />
        </Panel>
      )}
      <Panel title="Finalizers" id="finalizers" count={finalizers.length}>
        {finalizers.length === 0 ? (
          <p class="panel-empty">None: nothing holds its deletion.</p>
        ) : (
          <ul class="lines">
            {finalizers.map(({ name, owner, reason }) => (
              <li key={name}>
                <span class="mono wrap">{name}</span>
                <Badge
                  tone={object.deleting ? 'leaving' : 'neutral'}
                  icon="stuck"
                  text={owner === 'operator' ? 'This operator' : 'Another controller'}
                />
                {reason && <p class="soft">{reason}</p>}
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {daemons.length > 0 && (
        <Panel title="Daemons and timers" id="background" count={daemons.length}>
          <ul class="lines">
            {daemons.map(({ handler, kind, state, nextAt }) => (
              <li key={`${kind}/${handler}`}>
                <span>
                  <span class="handler-kind">{kind}</span>
                  <span class="mono">{handler}</span>
                </span>
                <Badge tone={/run/.test(state) ? 'active' : 'neutral'} text={state} />
                {nextAt !== undefined && (
                  <p class="soft">
                    Next call <Time at={nextAt} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Relatives" id="relatives" count={relatives.length}>
        <Relatives object={object} relatives={relatives} />
      </Panel>
      <Panel title="Kubernetes events" id="kubernetes-events" count={kubernetesEvents.length}>
        <KubernetesEvents events={kubernetesEvents} />
      </Panel>
    </>
  );
}

function KubernetesEvents({ events }: { readonly events: readonly InspectedEvent[] }) {
  if (events.length === 0) return <p class="panel-empty">None. They are kept by the API server for an hour.</p>;
  return (
    <ul class="lines">
      {events.map((event, index) => (
        <li class="kubernetes-event" key={`${event.reason}/${event.at}/${index}`}>
          <span class={event.type === 'Normal' ? 'strong' : 'strong text-notice'}>
            {event.type !== 'Normal' && <Icon name="warning" />}
            {event.type !== 'Normal' && <span class="sr-only">{event.type} </span>}
            {event.reason}
          </span>
          <span class="soft">
            {event.count > 1 && `${event.count} times, `}
            <Time at={event.at} /> by {event.source || 'an unknown client'}
          </span>
          <p>{event.message}</p>
        </li>
      ))}
    </ul>
  );
}
