import { HttpTransport } from '../../libs/kopf/src/client/http.transport.js';
import { NetworkingSettings } from '../../libs/kopf/src/settings/networking.settings.js';
import { WatchingSettings } from '../../libs/kopf/src/settings/watching.settings.js';
import { SystemClock, type ConnectionInfo } from 'nestjs-kopf';
import { ClusterUser, UnexpectedStatusError } from '../support/cluster.user.js';
import { customResource, DEFINITIONS, type DefinitionOptions } from '../support/definitions.js';
import { eventually } from '../support/eventually.js';
import type { ControlPlane } from './control-plane.js';

/** How a control plane is reached by its administrator. */
export function credentialsOf({ url, caFile, token }: ControlPlane): ConnectionInfo {
  return { server: url, caPath: caFile, token };
}

/** An administrator with connections of their own; must be closed. */
export function administrator(cluster: ControlPlane): ClusterUser {
  const settings = { networking: new NetworkingSettings(), watching: new WatchingSettings() };
  return new ClusterUser(new HttpTransport(credentialsOf(cluster), settings, new SystemClock()));
}

/** Creates a custom resource, and waits until it is served. */
export async function define(user: ClusterUser, options: DefinitionOptions = {}): Promise<void> {
  const definition = customResource(options);
  await user.create(DEFINITIONS, definition);
  await eventually(`${definition.metadata.name} is served`, () => isServed(user, definition.spec.names.plural));
}

async function isServed(user: ClusterUser, plural: string): Promise<boolean> {
  try {
    return (await user.get(`/apis/kopf.dev/v1/${plural}`)) !== undefined;
  } catch (error) {
    // While the storage of a new resource is being prepared, the server asks to come again.
    if (error instanceof UnexpectedStatusError && error.status === 429) return false;
    throw error;
  }
}
