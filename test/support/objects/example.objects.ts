import type { Type } from '@nestjs/common';
import type { KubeObject } from 'nestjs-kopf';
import { KopfTest, type KopfTestOptions } from 'nestjs-kopf/testing';
import { customResource } from '../clusters/cluster.user.js';

/** Makes an object of `kopfexamples.kopf.dev`. */
export function kopfExample(name = 'a', parts: Partial<KubeObject> = { spec: { field: 'v1' } }) {
  return { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, ...parts };
}

/** Starts an operator with the handlers of a class, in a cluster that has `kopfexamples.kopf.dev`. */
export function testHandlers(handlers: Type, options: KopfTestOptions = {}): Promise<KopfTest> {
  return KopfTest.create({ providers: [handlers], objects: customResource(), ...options });
}
