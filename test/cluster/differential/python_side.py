"""The Python side of the differential runs: operators of Kopf made of the same plans as in `nest.side.ts`.

Each operator has a thread with an event loop of its own: Kopf cancels what it finds in its loop when it stops.
"""

import asyncio
import contextlib
import json
import logging
import os
import threading
import urllib.request
from collections.abc import Mapping

import aiohttp
import kopf

URL = os.environ['COORDINATOR']
PROCESS = os.environ['PROCESS']
# Filters get a marker of Kopf's own for what is absent.
VALUES = (str, int, float, bool, list, tuple, Mapping)
TOKENS = {'PRESENT': kopf.PRESENT, 'ABSENT': kopf.ABSENT}
ERRORS = {'temporary': kopf.ErrorsMode.TEMPORARY, 'permanent': kopf.ErrorsMode.PERMANENT,
          'ignored': kopf.ErrorsMode.IGNORED}
LIFECYCLES = {'asap': kopf.lifecycles.asap, 'all_at_once': kopf.lifecycles.all_at_once,
              'one_by_one': kopf.lifecycles.one_by_one}
PROGRESS = {'annotations': kopf.AnnotationsProgressStorage, 'status': kopf.StatusProgressStorage,
            'smart': kopf.SmartProgressStorage}
DIFFBASE = {'annotations': kopf.AnnotationsDiffBaseStorage, 'status': kopf.StatusDiffBaseStorage}


def make_storage(classes, plan):
    options = {key: value for key, value in plan.items() if key not in ('kind', 'ignored')}
    if 'ignored' in plan:
        options['ignored_fields'] = plan['ignored']
    return classes[plan['kind']](**options)


def holds(plan, value):
    match plan['test']:
        case 'exists':
            return value is not None
        case 'equals':
            return value == plan['value']
        case _:
            return value != plan['value']


def resolve(body, path):
    for key in path:
        if not hasattr(body, 'get'):
            return None
        body = body.get(key)
    return body


def make_filter(plan):
    if 'token' in plan:
        return TOKENS[plan['token']]
    if 'literal' in plan:
        return plan['literal']
    return lambda value, **_: holds(plan['predicate'], value if isinstance(value, VALUES) else None)


def make_options(plan):
    options = dict(plan)
    for key in ('value', 'old', 'new'):
        if key in options:
            options[key] = make_filter(options[key])
    for key in ('labels', 'annotations'):
        if key in options:
            options[key] = {name: make_filter(each) for name, each in options[key].items()}
    if 'errors' in options:
        options['errors'] = ERRORS[options['errors']]
    if 'when' in options:
        options['when'] = lambda body, **_: holds(plan['when'], resolve(body, plan['when']['path']))
    return options


def plain(value):
    """Views of bodies are no dicts."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value]


def describe(handler, kwargs):
    body = kwargs['body']
    call = {'handler': handler, 'name': kwargs['name'], 'retry': kwargs['retry'], 'param': kwargs['param']}
    if 'event' in kwargs:
        call['event'] = kwargs['type']
    else:
        call |= {'reason': str(kwargs['reason']), 'old': kwargs['old'], 'new': kwargs['new'], 'diff': kwargs['diff']}
    metadata = {key: body['metadata'].get(key) for key in ('labels', 'annotations', 'finalizers')}
    call |= {'spec': body.get('spec'), 'status': body.get('status'), 'metadata': metadata,
             'deleted': 'deletionTimestamp' in body['metadata']}
    return plain(call)


def is_there(body, plan):
    paths = {'spec': ['spec'], 'transformation': ['spec'], 'status': ['status']}
    path = paths.get(plan['part'], ['metadata', plan['part']])
    return resolve(body, [*path, plan['key']]) is not None


def apply_patch(patch, plan):
    key, value = plan['key'], plan['value']
    match plan['part']:
        case 'spec':
            patch.spec[key] = value
        case 'status':
            patch.status[key] = value
        case 'labels':
            patch.metadata.labels[key] = value
        case 'annotations':
            patch.metadata.annotations[key] = value
        case _:
            def transform(body):
                items = body.setdefault('spec', {}).setdefault(key, [])
                if value not in items:
                    items.append(value)
            patch.fns.append(transform)


def make_error(plan):
    match plan['kind']:
        case 'temporary':
            return kopf.TemporaryError(plan['message'], **({'delay': plan['delay']} if 'delay' in plan else {}))
        case 'permanent':
            return kopf.PermanentError(plan['message'])
        case _:
            return Exception(plan['message'])


class Operator:
    """One operator, which can be asked to stop; a crash is that nothing of it is answered any more."""

    def __init__(self, instance):
        self.instance = instance
        self.loop = None
        self.stop_flag = threading.Event()
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.thread.start()

    def live(self):
        try:
            asyncio.run(self.run())
        except BaseException:
            # Whoever looks after the process must see that something is wrong.
            logging.exception('The operator of %s has failed.', self.instance['id'])
            os._exit(1)

    def stop(self):
        self.stop_flag.set()
        self.thread.join()

    def settle(self):
        """Lets everything happen that can happen without waiting."""
        async def yielding():
            for _ in range(20):
                await asyncio.sleep(0)
        # An operator that stops meanwhile has no more turns.
        with contextlib.suppress(Exception):
            if self.loop is not None and self.thread.is_alive() and not self.stop_flag.is_set():
                asyncio.run_coroutine_threadsafe(yielding(), self.loop).result(timeout=20)

    async def run(self):
        self.loop = asyncio.get_running_loop()
        program = self.instance['program']
        plan = program['settings']
        settings = kopf.OperatorSettings()
        settings.scanning.disabled = True
        settings.persistence.consistency_timeout = plan['consistencyTimeout']
        settings.execution.default_backoff = plan['defaultBackoff']
        if 'finalizer' in plan:
            settings.persistence.finalizer = plan['finalizer']
        if 'progress' in plan:
            settings.persistence.progress_storage = make_storage(PROGRESS, plan['progress'])
        if 'diffbase' in plan:
            settings.persistence.diffbase_storage = make_storage(DIFFBASE, plan['diffbase'])
        async with aiohttp.ClientSession() as self.session:
            await kopf.operator(registry=self.make_registry(), settings=settings, standalone=True,
                                lifecycle=LIFECYCLES[plan.get('lifecycle', 'asap')],
                                namespaces=[self.instance['namespace']], stop_flag=self.stop_flag)

    def make_registry(self):
        registry = kopf.OperatorRegistry()

        @kopf.on.login(registry=registry)
        async def login(**_):
            return kopf.ConnectionInfo(server=f"{URL}/{self.instance['id']}/api")

        for handler in self.instance['program']['handlers']:
            function = self.make_function(handler['id'], handler['body'])
            for decorator in reversed(handler['decorators']):
                decorate = getattr(kopf.on, decorator['kind'])
                options = make_options(decorator['options'])
                decorate('kopf.dev', 'v1', self.instance['plural'], id=handler['id'], registry=registry,
                         **options)(function)
        return registry

    def make_function(self, path, plan):
        async def function(**kwargs):
            async with self.session.post(f"{URL}/{self.instance['id']}/calls", json=describe(path, kwargs)) as answer:
                answer.raise_for_status()
            attempt = plan['attempts'][min(kwargs['retry'], len(plan['attempts']) - 1)]
            for each in attempt['patches']:
                if not each.get('once') or not is_there(kwargs['body'], each):
                    apply_patch(kwargs['patch'], each)
            for child in plan['children']:
                kopf.subhandler(id=child['id'], **make_options(child['options']))(
                    self.make_function(f"{path}/{child['id']}", child['body']))
            if plan['executes']:
                await kopf.execute()
            if 'error' in attempt:
                raise make_error(attempt['error'])
            return attempt.get('result')
        return function


def carry_out(operators, command):
    match command['do']:
        case 'start':
            operators[command['instance']['id']] = Operator(command['instance'])
        case 'stop':
            operators.pop(command['id']).stop()
        case _:
            for operator in list(operators.values()):
                operator.settle()
    urllib.request.urlopen(f"{URL}/commands/{PROCESS}?done={command['number']}", data=b'').close()


def main():
    logging.basicConfig(level=logging.WARNING)
    operators = {}
    last = 0
    while True:
        with urllib.request.urlopen(f'{URL}/commands/{PROCESS}?after={last}') as answer:
            commands = json.load(answer)
        for command in commands:
            last = command['number']
            threading.Thread(target=carry_out, args=(operators, command), daemon=True).start()


main()
