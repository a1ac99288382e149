import type { Clock } from 'kube-common';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ControllerClient } from '../controller.js';
import { EventRecorder } from '../event.recorder.js';
import { specOf } from './pod.statuses.js';

/** The events of the kubelets, each posted in the name of its node. */
export class KubeletEvents {
  private readonly recorders = new Map<string, EventRecorder>();

  constructor(
    private readonly client: ControllerClient,
    private readonly clock: Clock,
  ) {}

  async started(pod: KubeObject): Promise<void> {
    for (const { name, image = '', imagePullPolicy } of containersOf(pod)) {
      const field = `spec.containers{${name}}`;
      const quoted = JSON.stringify(image);
      const pulled =
        imagePullPolicy === 'Always'
          ? `Successfully pulled image ${quoted} in 10ms (10ms including waiting). Image size: 0 bytes.`
          : `Container image ${quoted} already present on machine and can be accessed by the pod`;
      if (imagePullPolicy === 'Always') await this.of(pod).normal(pod, 'Pulling', `Pulling image ${quoted}`, field);
      await this.of(pod).normal(pod, 'Pulled', pulled, field);
      await this.of(pod).normal(pod, 'Created', 'Container created', field);
      await this.of(pod).normal(pod, 'Started', 'Container started', field);
    }
  }

  async killed(pod: KubeObject): Promise<void> {
    for (const { name } of containersOf(pod)) {
      await this.of(pod).normal(pod, 'Killing', `Stopping container ${name}`, `spec.containers{${name}}`);
    }
  }

  async backedOff(pod: KubeObject): Promise<void> {
    const { namespace, name: podName, uid } = pod.metadata;
    for (const { name } of containersOf(pod)) {
      const message = `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`;
      await this.of(pod).warning(pod, 'BackOff', message, `spec.containers{${name}}`);
    }
  }

  /** Makes the event of a container that cannot start: for images, in the words of the kubelet; by its reason otherwise. */
  async waiting(pod: KubeObject, { reason, message }: { reason: string; message?: string }): Promise<void> {
    for (const { name, image = '' } of containersOf(pod)) {
      const isPulling = reason === 'ImagePullBackOff' || reason === 'ErrImagePull';
      const text = message ?? (isPulling ? `Back-off pulling image ${JSON.stringify(image)}` : reason);
      await this.of(pod).warning(pod, isPulling ? 'BackOff' : 'Failed', text, `spec.containers{${name}}`);
    }
  }

  private of(pod: KubeObject): EventRecorder {
    const { nodeName = '' } = specOf(pod);
    let recorder = this.recorders.get(nodeName);
    if (!recorder) {
      recorder = new EventRecorder(this.client, this.clock, 'kubelet', nodeName);
      this.recorders.set(nodeName, recorder);
    }
    return recorder;
  }
}

function containersOf(pod: KubeObject): readonly { name: string; image?: string; imagePullPolicy?: string }[] {
  return specOf(pod).containers ?? [];
}
