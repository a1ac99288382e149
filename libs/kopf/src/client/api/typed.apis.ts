import type { KubeApi } from './api.client.js';
import { type KubeApiClass, createTypedApi } from './typed.api.factory.js';

/** The instances of the typed APIs of an application: one for each API, however many modules import it. */
export class TypedApis {
  private readonly apis = new Map<KubeApiClass, Promise<object>>();

  constructor(private readonly api: KubeApi) {}

  get<Api extends object>(type: KubeApiClass<Api>): Promise<Api> {
    let typed = this.apis.get(type) as Promise<Api> | undefined;
    if (!typed) this.apis.set(type, (typed = createTypedApi(type, this.api)));
    return typed;
  }
}
