import type { Client } from './client.js';
import { crds } from './crds/crds.client.js';
import { goClients } from './go/go.clients.js';
import { helm } from './helm/helm.client.js';
import { fabric8 } from './java/fabric8.client.js';
import { node } from './node/node.client.js';
import { pythonClients } from './python.clients.js';

/** All clients, in the order in which they are run. */
export const CLIENTS: readonly Client[] = [...pythonClients, node, helm, ...goClients, fabric8, crds];
