import type { StatusError } from '../errors/status.error.js';
import { notAcceptable } from '../errors/status.errors.js';
import { type Clock, stringifyJson } from 'kube-common';
import type { KubeObject } from '../resources/kube-object.js';
import type { ServedResource } from '../resources/served.resource.js';
import type { WatchEncoder } from '../machinery/watch.service.js';
import { toTable } from '../printing/table.printer.js';
import type { ProtobufEncoder } from '../typed/protobuf.encoder.js';
import type { StoredObject } from '../storage/stored.object.js';
import type { Negotiated } from './media.negotiation.js';
import { includedObject, metaVersion, objectJson, partial } from './object.presenter.js';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * The encoders of watches. All watches of a resource get a change one after the other, so the line of the latest change is kept: it is
 * serialized once for all.
 */
export class WatchEncoders {
  private latest: { object: StoredObject; type: EventType; served: ServedResource; line: Uint8Array } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly protobuf: ProtobufEncoder,
  ) {}

  /** @throws StatusError 406 for custom resources in protobuf, 400 for tables that cannot be made */
  create(served: ServedResource, negotiated: Negotiated, query: URLSearchParams): WatchEncoder {
    const { form } = negotiated;
    if (negotiated.protobuf) return this.messages(served);
    if (form === 'table') return this.tables(served, negotiated, query);
    if (form === 'metadata') {
      const render = (object: KubeObject): string => stringifyJson(partial(object, negotiated));
      return {
        event: (type, object) => line(type, render(object.object)),
        bookmark: (revision, initialEnd) => line('BOOKMARK', render(bookmark(served, revision, initialEnd))),
        error: errorLine,
      };
    }
    return {
      event: (type, object) => this.shared(served, type, object),
      bookmark: (revision, initialEnd) => line('BOOKMARK', JSON.stringify(bookmark(served, revision, initialEnd))),
      error: errorLine,
    };
  }

  /** Makes an encoder of events in protobuf, each after its length. */
  private messages(served: ServedResource): WatchEncoder {
    if (!this.protobuf.knows(served.resource)) throw notAcceptable(['application/json', 'application/yaml']);
    const message = (type: string, object: KubeObject): Uint8Array =>
      this.protobuf.event(type, this.protobuf.object(served.resource, object)!);
    return {
      event: (type, object) => message(type, served.fromStorage(object.read())),
      bookmark: (revision, initialEnd) => message('BOOKMARK', bookmark(served, revision, initialEnd)),
      error: (error) => this.protobuf.event('ERROR', this.protobuf.status(error.toStatus())),
    };
  }

  private shared(served: ServedResource, type: EventType, object: StoredObject): Uint8Array {
    const { latest } = this;
    if (latest?.object === object && latest.type === type && latest.served === served) return latest.line;
    const encoded = line(type, objectJson(served, object));
    this.latest = { object, type, served, line: encoded };
    return encoded;
  }

  private tables(served: ServedResource, negotiated: Negotiated, query: URLSearchParams): WatchEncoder {
    let noHeaders = false;
    const includeObject = includedObject(query);
    const render = (object: KubeObject): string => {
      const table = toTable(served.resource, served.printerColumns, [object], {
        includeObject,
        now: this.clock.now(),
        apiVersion: metaVersion(negotiated),
        noHeaders,
      });
      noHeaders = true;
      return stringifyJson(table);
    };
    return {
      event: (type, object) => line(type, render(served.fromStorage(object.object))),
      bookmark: (revision, initialEnd) => line('BOOKMARK', render(bookmark(served, revision, initialEnd))),
      error: errorLine,
    };
  }
}

function errorLine(error: StatusError): Uint8Array {
  return line('ERROR', JSON.stringify(error.toStatus()));
}

function line(type: string, json: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${json}}\n`);
}

function bookmark({ apiVersion, resource, custom }: ServedResource, revision: number, initialEnd: boolean): KubeObject {
  const metadata = {
    ...(initialEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    resourceVersion: String(revision),
  };
  const { kind } = resource;
  return custom ? { apiVersion, kind, metadata } : { kind, apiVersion, metadata };
}
