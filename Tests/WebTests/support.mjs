// What the tests of Web/diffable.js share: a daemon, and WebSockets that need no browser.

import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, mkdtempSync, rmSync} from 'node:fs'
import net from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const binaries = process.env.DIFFABLED_BINARIES ?? join(root, '.build/debug')

export const pause = time => new Promise(done => setTimeout(done, time))

/** Waits until `condition` returns something. The condition can be asynchronous. */
export const until = async (condition, what, time = 10_000) => {
  const end = Date.now() + time
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > end) throw Error(`${what} did not happen within ${time} ms`)
    await pause(5)
  }
}

/** A running diffabled with a directory of its own. */
export class Daemon {
  directory = mkdtempSync(join(tmpdir(), 'diffable-web-'))
  socket = join(this.directory, 'socket')

  static async start() {
    const daemon = new Daemon()
    await daemon.start()
    return daemon
  }

  async start() {
    const program = join(binaries, 'diffabled')
    if (!existsSync(program)) throw Error(`there is no ${program}: build it, or set DIFFABLED_BINARIES`)
    const options = ['--socket', this.socket, '--state-directory', join(this.directory, 'state'), '--log-level', 'error']
    this.process = spawn(program, options, {stdio: ['ignore', 'ignore', 'inherit'], env: {PATH: process.env.PATH, HOME: this.directory}})
    await until(() => this.#answers(), 'the start of diffabled')
  }

  #answers() {
    return new Promise(done => {
      const socket = net.connect(this.socket)
      socket.on('connect', () => done(true)).on('error', () => done(false)).on('connect', () => socket.destroy())
    })
  }

  async kill(signal = 'SIGKILL') {
    const end = once(this.process, 'exit')
    this.process.kill(signal)
    await end
  }

  async stop() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill('SIGTERM')
    rmSync(this.directory, {recursive: true, force: true})
  }
}

/** A client that sends requests, one line each. */
export class Client {
  #replies = new Map()
  #last = 0

  constructor(path) {
    this.socket = net.connect(path)
    eachLine(this.socket, line => {
      const {id, result, error} = JSON.parse(line)
      const reply = this.#replies.get(id)
      this.#replies.delete(id)
      if (error) reply?.reject(Object.assign(Error(error.message), error))
      else reply?.resolve(result)
    })
    this.socket.on('close', () => {
      for (const {reject} of this.#replies.values()) reject(Error('the daemon has gone'))
    })
    this.socket.on('error', () => {})
  }

  request(method, params = {}) {
    return new Promise((resolve, reject) => {
      this.#replies.set(++this.#last, {resolve, reject})
      this.socket.write(JSON.stringify({id: this.#last, method, params}) + '\n')
    })
  }

  close() { this.socket.destroy() }
}

const eachLine = (socket, take) => {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', data => {
    const lines = (rest + data).split('\n')
    rest = lines.pop()
    for (const line of lines) take(line)
  })
}

/**
 * A WebSocket whose messages are the lines of a Unix socket, as diffable-web passes them on. Each message arrives in a
 * task of its own, as in a browser. Its address is `ws://unix/PATH`.
 */
export class LineSocket {
  static open = new Set()

  constructor(url) {
    this.lines = net.connect(new URL(url).pathname)
    LineSocket.open.add(this)
    this.lines.on('connect', () => this.onopen?.())
    eachLine(this.lines, line => setImmediate(() => this.onmessage?.({data: line})))
    this.lines.on('error', () => {})
    this.lines.on('close', () => {
      LineSocket.open.delete(this)
      setImmediate(() => this.onclose?.({code: 1006}))
    })
  }

  send(line) { this.lines.write(line + '\n') }
  close() { this.lines.destroy() }

  /** Cuts all connections, in the middle of whatever they carry. */
  static cut() {
    for (const socket of LineSocket.open) socket.lines.destroy()
  }
}

/** A WebSocket that the test answers itself. `last` is the newest one. */
export class FakeSocket {
  static all = []
  static get last() { return FakeSocket.all.at(-1) }
  sent = []
  isClosed = false

  constructor(url, protocols) {
    Object.assign(this, {url, protocols})
    FakeSocket.all.push(this)
  }

  send(line) {
    if (this.isClosed) throw Error('this socket is closed')
    this.sent.push(JSON.parse(line))
  }

  close() { this.isClosed = true }
  open() { this.onopen?.() }
  drop() { this.onclose?.({code: 1006}) }
  receive(message) { this.onmessage?.({data: JSON.stringify(message)}) }

  /** Returns the newest request with this method. */
  request(method) { return this.sent.findLast(request => request.method === method) }

  answer(method, result = {}) { this.receive({jsonrpc: '2.0', id: this.request(method).id, result}) }
  refuse(method, error) { this.receive({jsonrpc: '2.0', id: this.request(method).id, error}) }
  notify(method, params) { this.receive({jsonrpc: '2.0', method, params: {subscription: 1, list: 'tasks', ...params}}) }
}
