#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Headless Chromium by chromedriver (WebDriver, https://www.w3.org/TR/webdriver/): opens pages, clicks, types, runs scripts."""
import json
import os
import socket
import subprocess
import time
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'


class Browser:
    def __init__(self, height=900, display=None):
        """With a display: there, without a frame, with WebGL, and pages are not waited for."""
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            self.port = s.getsockname()[1]
        environment = {**os.environ, 'DISPLAY': display} if display else None
        self.driver = subprocess.Popen(['chromedriver', f'--port={self.port}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        options = {'args': [*(['--kiosk', '--enable-unsafe-swiftshader'] if display else ['--headless=new', '--disable-gpu']), '--no-sandbox', f'--window-size=1200,{height}', '--disable-dev-shm-usage']}
        if display:
            options['excludeSwitches'] = ['enable-automation']
        wanted = {'capabilities': {'alwaysMatch': {'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL'},
                                                   'pageLoadStrategy': 'none' if display else 'normal'}}}
        end = time.monotonic() + 20
        while True:
            try:
                self.path = ''
                self.path = '/session/' + self.call('/session', wanted)['sessionId']
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        url = f'http://127.0.0.1:{self.port}{self.path}{path}'
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as answer:
            return json.load(answer)['value']

    def end(self):
        try:
            urllib.request.urlopen(urllib.request.Request(f'http://127.0.0.1:{self.port}{self.path}', method='DELETE'), timeout=10)
        finally:
            self.driver.terminate()
            self.driver.wait(10)

    def open(self, file):
        self.call('/url', {'url': 'file://' + file})

    def find(self, xpath):
        return '/element/' + self.call('/element', {'using': 'xpath', 'value': xpath})[ELEMENT]

    def click(self, xpath):
        self.call(self.find(xpath) + '/click', {})

    def type(self, xpath, text):
        self.call(self.find(xpath) + '/value', {'text': text})

    def clear(self, xpath):
        self.call(self.find(xpath) + '/clear', {})

    def run(self, script):
        return self.call('/execute/sync', {'script': 'return ' + script, 'args': []})

    def errors(self):
        """What the page logged as errors."""
        return [line['message'] for line in self.call('/se/log', {'type': 'browser'}) if line['level'] == 'SEVERE']
