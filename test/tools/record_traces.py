"""Records the calls of handlers and the write requests of Python Kopf; run by record-traces.mjs beside this file.

    KUBECONFIG=… python record_traces.py FAMILIES.py OUTPUT.json [--only NAME] [--verbose]

The cluster of the kubeconfig must be one for tests: the kind `kopfexamples` and the namespace `ns` are made there.
Requests are recorded where they leave Kopf, in aiohttp; what differs between any two runs is replaced: time stamps, versions, uids.
"""
import argparse
import asyncio
import base64
import importlib.util
import json
import logging
import os
import re
import ssl
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import aiohttp
import kopf

OBJECTS = '/apis/kopf.dev/v1/namespaces/ns/kopfexamples'
DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/kopfexamples.kopf.dev'
# Seconds after which a family has failed: some operators of Kopf cannot be stopped.
FAMILY_TIMEOUT = 120
TIMESTAMP = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)')


class Cluster:
    """The API server as its administrator uses it, apart from the operator's own connections."""

    def __init__(self):
        info = kopf.login_with_kubeconfig(settings=kopf.OperatorSettings())
        if info is None:
            raise SystemExit('KUBECONFIG names no cluster.')
        self.server = info.server.rstrip('/')
        self.token = info.token
        self.context = self.make_context(info)

    @staticmethod
    def make_context(info):
        ca = base64.b64decode(info.ca_data).decode() if info.ca_data else None
        context = ssl.create_default_context(cafile=info.ca_path, cadata=ca)
        if info.insecure:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if info.certificate_path:
            context.load_cert_chain(info.certificate_path, info.private_key_path)
        elif info.certificate_data:
            with tempfile.NamedTemporaryFile() as file:
                file.write(base64.b64decode(info.certificate_data) + b'\n' + base64.b64decode(info.private_key_data))
                file.flush()
                context.load_cert_chain(file.name)
        return context

    async def send(self, method, path, body=None, content_type='application/json'):
        """The answer of the API server; None if it does not know the object."""
        return await asyncio.to_thread(self._send, method, path, body, content_type)

    def _send(self, method, path, body, content_type):
        headers = {'Content-Type': content_type, 'Accept': 'application/json'}
        if self.token:
            headers['Authorization'] = f'Bearer {self.token}'
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise RuntimeError(f'{method} {path}: {error.code} {error.read().decode()}') from error

    async def merge(self, path, patch):
        return await self.send('PATCH', path, patch, 'application/merge-patch+json')

    async def define(self, status_subresource):
        """Makes the kind, or gives it its status subresource, or takes that away."""
        preserved = {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}
        version = {
            'name': 'v1', 'served': True, 'storage': True,
            'schema': {'openAPIV3Schema': {'type': 'object', 'properties': {'spec': preserved, 'status': preserved}}},
            **({'subresources': {'status': {}}} if status_subresource else {}),
        }
        names = {'kind': 'KopfExample', 'plural': 'kopfexamples', 'singular': 'kopfexample'}
        spec = {'group': 'kopf.dev', 'scope': 'Namespaced', 'names': names, 'versions': [version]}
        if await self.send('GET', '/api/v1/namespaces/ns') is None:
            await self.send('POST', '/api/v1/namespaces', {'metadata': {'name': 'ns'}})
        if await self.send('GET', DEFINITION) is None:
            await self.send('POST', DEFINITION.rpartition('/')[0], {
                'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                'metadata': {'name': 'kopfexamples.kopf.dev'}, 'spec': spec,
            })
        else:
            await self.merge(DEFINITION, {'spec': spec})
        for _ in range(100):
            resources = await self.send('GET', '/apis/kopf.dev/v1')
            served = {resource['name'] for resource in (resources or {}).get('resources', [])}
            if 'kopfexamples' in served and ('kopfexamples/status' in served) == status_subresource:
                return
            await asyncio.sleep(0.1)
        raise RuntimeError('kopfexamples are not served.')

    async def clean(self):
        """Removes the object of a family, whatever holds it."""
        for _ in range(100):
            if await self.send('GET', f'{OBJECTS}/a') is None:
                return
            await self.merge(f'{OBJECTS}/a', {'metadata': {'finalizers': None}})
            await self.send('DELETE', f'{OBJECTS}/a')
            await asyncio.sleep(0.1)
        raise RuntimeError('The object does not go.')


class Stage:
    """Where a family is played: notes what happens, and does what users do with the object `a`."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.log = []
        self.registry = kopf.OperatorRegistry()
        kopf.set_default_registry(self.registry)
        kopf.on.login()(kopf.login_with_kubeconfig)
        self._task = None

    def called(self, handler, kwargs, **extra):
        """Notes the call of a handler, with its reason and whatever of its arguments is worth to be compared."""
        reason = kwargs.get('reason')
        call = {'call': handler, 'reason': None if reason is None else str(reason), 'retry': kwargs.get('retry', 0)}
        # A diff is a sequence of tuples.
        self.log.append({**call, **json.loads(json.dumps(extra, default=list))})

    def note(self, event, **details):
        self.log.append({'event': event, **details})

    async def start(self, configure=None):
        """Starts the operator, and waits until it watches."""
        settings = kopf.OperatorSettings()
        if configure:
            configure(settings)
        self.note('operator: start')
        self._stop, ready = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(kopf.operator(
            registry=self.registry, settings=settings, standalone=True, clusterwide=True, stop_flag=self._stop, ready_flag=ready,
        ))
        await ready.wait()
        await self.wait(1)

    async def stop(self):
        self.note('operator: stopping')
        self._stop.set()
        await self._task
        self._task = None
        self.note('operator: stopped')

    async def create(self, extra={}):
        self.note('user: create', object=extra)
        body = {'apiVersion': 'kopf.dev/v1', 'kind': 'KopfExample', 'spec': {'field': 'v1'}, **extra}
        body['metadata'] = {**extra.get('metadata', {}), 'name': 'a'}
        await self.cluster.send('POST', OBJECTS, body)

    async def patch(self, patch, subresource=''):
        self.note('user: patch', patch=patch)
        await self.cluster.merge(f'{OBJECTS}/a{subresource and "/" + subresource}', patch)

    async def delete(self):
        self.note('user: delete')
        await self.cluster.send('DELETE', f'{OBJECTS}/a')

    async def wait(self, seconds):
        """Lets the operator work; seconds."""
        await asyncio.sleep(seconds)

    async def close(self):
        if self._task:
            self._stop.set()
            await self._task


def record_requests(stage):
    """Notes the write requests of Kopf, which sends them through aiohttp; returns what ends it."""
    original = aiohttp.ClientSession._request

    async def request(session, method, url, **kwargs):
        response = await original(session, method, url, **kwargs)
        if method.upper() != 'GET':
            headers = {key.lower(): value for key, value in (kwargs.get('headers') or {}).items()}
            is_patch = method.upper() == 'PATCH'
            stage.log.append({
                'method': method.upper(),
                'path': urllib.parse.urlsplit(str(url)).path,
                **({'contentType': headers.get('content-type')} if is_patch else {}),
                # Kopf purges records in the order of a set, which is another one in each run.
                'body': json.loads(json.dumps(kwargs.get('json'), sort_keys=True)),
                'response': response.status,
            })
        return response

    aiohttp.ClientSession._request = request
    return lambda: setattr(aiohttp.ClientSession, '_request', original)


def normalized(log):
    """The log without what differs between any two runs."""
    text = json.dumps(log)
    text = TIMESTAMP.sub('<TS>', text)
    text = re.sub(r'("path": "/metadata/resourceVersion", "value": )"\d+"', r'\1"<RV>"', text)
    text = re.sub(r'"uid": "[^"]*"', '"uid": "<UID>"', text)
    return json.loads(text)


async def record(cluster, name, status_subresource, play):
    await cluster.define(status_subresource)
    await cluster.clean()
    stage = Stage(cluster)
    end = record_requests(stage)
    try:
        await play(stage)
    finally:
        await stage.close()
        end()
        await cluster.clean()
    return {'name': name, 'statusSubresource': status_subresource, 'log': normalized(stage.log)}


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('families')
    parser.add_argument('output')
    parser.add_argument('--only', action='append', help='record this family again, and keep the others as they are')
    parser.add_argument('--verbose', action='store_true', help="show Kopf's own log")
    args = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.CRITICAL)

    spec = importlib.util.spec_from_file_location('families', args.families)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = {}
    if args.only and os.path.exists(args.output):
        with open(args.output, encoding='utf-8') as file:
            known = {trace['name']: trace for trace in json.load(file)}

    cluster = Cluster()
    traces = []
    for name, status_subresource, play in module.FAMILIES:
        if args.only and name not in args.only:
            traces += [known[name]] if name in known else []
            continue
        print(f'recording: {name}', flush=True)
        traces.append(await asyncio.wait_for(record(cluster, name, status_subresource, play), FAMILY_TIMEOUT))
    with open(args.output, 'w', encoding='utf-8') as file:
        json.dump(traces, file, indent=1)
        file.write('\n')


if __name__ == '__main__':
    asyncio.run(main())
