import { SYSTEM_PRIORITY_CLASSES } from '../kinds/priority.classes.js';
import type { ControllerClient, ResourceId } from './controller.js';

const NAMESPACES: ResourceId = { group: '', plural: 'namespaces' };
const NAMES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const PRIORITY_CLASSES: ResourceId = { group: 'scheduling.k8s.io', plural: 'priorityclasses' };

/** Creates the objects that every cluster has from its beginning, unless they are there: namespaces and classes of priority. */
export async function createSystemObjects(client: ControllerClient): Promise<void> {
  for (const name of NAMES) {
    if (!client.get(NAMESPACES, undefined, name)) await client.create(NAMESPACES, undefined, { metadata: { name } });
  }
  for (const { name, ...content } of SYSTEM_PRIORITY_CLASSES) {
    if (client.get(PRIORITY_CLASSES, undefined, name)) continue;
    await client.create(PRIORITY_CLASSES, undefined, { metadata: { name }, ...content });
  }
}
