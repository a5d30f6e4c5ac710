#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dialect.h"
#include "stamp.h"

size_t messageLength;

static bool beginsWith(const char *bytes, size_t length, const char *prefix) {
    size_t prefixLength = strlen(prefix);
    return length >= prefixLength && !memcmp(bytes, prefix, prefixLength);
}

// Calls `receiveLine` with each whole line, without its newline.
static size_t receiveLines(
    struct Connection *connection, const char *bytes, size_t length,
    void (*receiveLine)(struct Connection *, const char *, size_t)
) {
    const char *line = bytes, *end = bytes + length, *newline;
    while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
        receiveLine(connection, line, (size_t)(newline - line));
        line = newline + 1;
    }
    return (size_t)(line - bytes);
}

// MARK: - The limit server

static void greetLimit(struct Connection *connection) {
    if (connection->role == SUBSCRIBER) append(&connection->output, "S\n", 2);
    else isReady(connection);
}

static void publishLimit(struct Connection *connection, const char *message, size_t length) {
    append(&connection->output, message, length);
    append(&connection->output, "\n", 1);
}

static void receiveLimitLine(struct Connection *connection, const char *line, size_t length) {
    if (length == messageLength) isDelivered(connection, line);
    else if (length == 1 && *line == 'S') isReady(connection);
    else if (length == 1 && *line == '+') isAnswered(connection);
    else isRefused(connection, line, length);
}

static size_t receiveLimit(struct Connection *connection, const char *bytes, size_t length) {
    return receiveLines(connection, bytes, length, receiveLimitLine);
}

// MARK: - diffabled: each message is the content of an item that is appended to the section `s` of the list `load`

static void greetDiffabled(struct Connection *connection) {
    static const char subscribe[] = "{\"id\":1,\"method\":\"subscribe\",\"params\":{\"list\":\"load\"}}\n";
    if (connection->role == SUBSCRIBER) append(&connection->output, subscribe, sizeof subscribe - 1);
    else isReady(connection);
}

static void publishOperation(
    struct Connection *connection, const char *method, const char *message, size_t length
) {
    appendFormat(
        &connection->output,
        "{\"id\":2,\"method\":\"%s\",\"params\":{\"list\":\"load\",\"operations\":[{\"op\":\"appendItems\","
        "\"section\":\"s\",\"items\":[{\"id\":\"%d.%u\",\"content\":\"",
        method, connection->index, connection->next);
    append(&connection->output, message, length);
    append(&connection->output, "\"}]}]}}\n", 8);
}

static void publishDiffabled(struct Connection *connection, const char *message, size_t length) {
    publishOperation(connection, "transact", message, length);
}

// A line has one message for each item that it brings. From one to the next it is mostly as far as it was before.
static void receiveChanges(struct Connection *connection, const char *line, size_t length) {
    static const char name[] = "\"content\":\"";
    enum { NAME_LENGTH = sizeof name - 1 };
    static size_t stride;
    const char *end = line + length, *at = line;
    for (;;) {
        size_t left = (size_t)(end - at);
        bool isWhereExpected = stride + NAME_LENGTH <= left && !memcmp(at + stride, name, NAME_LENGTH);
        const char *found = isWhereExpected ? at + stride : memmem(at, left, name, NAME_LENGTH);
        if (!found) return;
        if (at != line) stride = (size_t)(found - at);
        const char *message = found + NAME_LENGTH;
        at = message + messageLength;
        if (at >= end || *at != '"') return isRefused(connection, line, length);
        isDelivered(connection, message);
    }
}

static void receiveDiffabledLine(struct Connection *connection, const char *line, size_t length) {
    static const char changes[] = "{\"jsonrpc\":\"2.0\",\"method\":\"changes\"";
    static const char reset[] = "{\"jsonrpc\":\"2.0\",\"method\":\"reset\"";
    if (connection->role == PUBLISHER) {
        if (beginsWith(line, length, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\"")) isAnswered(connection);
        else isRefused(connection, line, length);
    } else if (beginsWith(line, length, changes)) {
        receiveChanges(connection, line, length);
    } else if (beginsWith(line, length, reset) && !connection->isReady) {
        isReady(connection);
    } else if (!beginsWith(line, length, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\"")) {
        isRefused(connection, line, length);
    }
}

static size_t receiveDiffabled(struct Connection *connection, const char *bytes, size_t length) {
    return receiveLines(connection, bytes, length, receiveDiffabledLine);
}

// MARK: - diffabled's handlers: publishers ask, and the subscriber answers each request as soon as it has it

static void greetHandler(struct Connection *connection, const char *kind) {
    if (connection->role == PUBLISHER) return isReady(connection);
    appendFormat(
        &connection->output, "{\"id\":1,\"method\":\"handle\",\"params\":{\"list\":\"load\",\"requests\":[\"%s\"]}}\n",
        kind);
}

static void greetPerforming(struct Connection *connection) { greetHandler(connection, "perform"); }
static void greetProposing(struct Connection *connection) { greetHandler(connection, "propose"); }

static void perform(struct Connection *connection, const char *message, size_t length) {
    static const char head[] =
        "{\"id\":2,\"method\":\"perform\",\"params\":{\"list\":\"load\",\"action\":\"act\",\"arguments\":\"";
    append(&connection->output, head, sizeof head - 1);
    append(&connection->output, message, length);
    append(&connection->output, "\"}}\n", 4);
}

// A request has one message, and its answer no id, so that it has no reply.
static void receiveRequest(struct Connection *connection, const char *line, size_t length, const char *before) {
    static const char name[] = "\"request\":";
    const char *end = line + length, *message = memmem(line, length, before, strlen(before));
    const char *params = memmem(line, length, "\"params\":", 9);
    const char *number = params ? memmem(params, (size_t)(end - params), name, sizeof name - 1) : NULL;
    if (!message || !number || message + strlen(before) + messageLength >= end) return isRefused(connection, line, length);
    isDelivered(connection, message + strlen(before));
    appendFormat(
        &connection->output, "{\"method\":\"answer\",\"params\":{\"request\":%lu}}\n",
        strtoul(number + sizeof name - 1, NULL, 10));
}

static void receiveHandlerLine(
    struct Connection *connection, const char *line, size_t length, const char *before
) {
    if (connection->role == PUBLISHER) return receiveDiffabledLine(connection, line, length);
    if (beginsWith(line, length, "{\"jsonrpc\":\"2.0\",\"method\":\"request\""))
        receiveRequest(connection, line, length, before);
    else if (beginsWith(line, length, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\"")) isReady(connection);
    else isRefused(connection, line, length);
}

static void receivePerformingLine(struct Connection *connection, const char *line, size_t length) {
    receiveHandlerLine(connection, line, length, "\"arguments\":\"");
}

static void receiveProposingLine(struct Connection *connection, const char *line, size_t length) {
    receiveHandlerLine(connection, line, length, "\"content\":\"");
}

static size_t receivePerforming(struct Connection *connection, const char *bytes, size_t length) {
    return receiveLines(connection, bytes, length, receivePerformingLine);
}

static void propose(struct Connection *connection, const char *message, size_t length) {
    publishOperation(connection, "propose", message, length);
}

static size_t receiveProposing(struct Connection *connection, const char *bytes, size_t length) {
    return receiveLines(connection, bytes, length, receiveProposingLine);
}

// MARK: - redis: PUBLISH, or a list, a hash and PUBLISH in one transaction

static const char redisSubscribed[] = "*3\r\n$9\r\nsubscribe\r\n$4\r\nload\r\n:1\r\n";

static void greetRedis(struct Connection *connection) {
    static const char subscribe[] = "*2\r\n$9\r\nSUBSCRIBE\r\n$4\r\nload\r\n";
    if (connection->role == SUBSCRIBER) append(&connection->output, subscribe, sizeof subscribe - 1);
    else isReady(connection);
}

static void publishRedis(struct Connection *connection, const char *message, size_t length) {
    appendFormat(&connection->output, "*3\r\n$7\r\nPUBLISH\r\n$4\r\nload\r\n$%zu\r\n", length);
    append(&connection->output, message, length);
    append(&connection->output, "\r\n", 2);
}

static void publishRedisDurably(struct Connection *connection, const char *message, size_t length) {
    char id[32];
    int idLength = snprintf(id, sizeof id, "%d.%u", connection->index, connection->next);
    appendFormat(
        &connection->output,
        "*1\r\n$5\r\nMULTI\r\n*3\r\n$5\r\nRPUSH\r\n$5\r\norder\r\n$%d\r\n%s\r\n"
        "*4\r\n$4\r\nHSET\r\n$8\r\ncontents\r\n$%d\r\n%s\r\n$%zu\r\n",
        idLength, id, idLength, id, length);
    append(&connection->output, message, length);
    append(&connection->output, "\r\n", 2);
    publishRedis(connection, message, length);
    append(&connection->output, "*1\r\n$4\r\nEXEC\r\n", 14);
}

static size_t receiveRedisMessages(struct Connection *connection, const char *bytes, size_t length) {
    char head[64];
    const char *at = bytes, *end = bytes + length;
    if (!connection->isReady) {
        if (length < sizeof redisSubscribed - 1) return 0;
        if (!beginsWith(bytes, length, redisSubscribed)) isRefused(connection, bytes, length);
        isReady(connection);
        at += sizeof redisSubscribed - 1;
    }
    size_t headLength =
        (size_t)snprintf(head, sizeof head, "*3\r\n$7\r\nmessage\r\n$4\r\nload\r\n$%zu\r\n", messageLength);
    while ((size_t)(end - at) >= headLength + messageLength + 2) {
        if (memcmp(at, head, headLength)) isRefused(connection, at, (size_t)(end - at));
        else isDelivered(connection, at + headLength);
        at += headLength + messageLength + 2;
    }
    return (size_t)(at - bytes);
}

static void receiveRedisAnswer(struct Connection *connection, const char *line, size_t length) {
    if (*line == ':') isAnswered(connection);
    else isRefused(connection, line, length);
}

// Of a transaction: it is taken, its commands are queued one by one, and an array has what they returned.
static void receiveRedisTransactionLine(struct Connection *connection, const char *line, size_t length) {
    if (*line == '*') isAnswered(connection);
    else if (*line != '+' && *line != ':') isRefused(connection, line, length);
}

static size_t receiveRedis(struct Connection *connection, const char *bytes, size_t length) {
    if (connection->role == SUBSCRIBER) return receiveRedisMessages(connection, bytes, length);
    return receiveLines(connection, bytes, length, receiveRedisAnswer);
}

static size_t receiveRedisDurable(struct Connection *connection, const char *bytes, size_t length) {
    if (connection->role == SUBSCRIBER) return receiveRedisMessages(connection, bytes, length);
    return receiveLines(connection, bytes, length, receiveRedisTransactionLine);
}

// MARK: - redis as handlers have it: publishers push requests and wait for an answer in a list of their own

static void greetRedisQueue(struct Connection *connection) {
    isReady(connection);
    static const char next[] = "*3\r\n$5\r\nBLPOP\r\n$4\r\nload\r\n$1\r\n0\r\n";
    if (connection->role == SUBSCRIBER) append(&connection->output, next, sizeof next - 1);
}

static void askRedis(struct Connection *connection, const char *message, size_t length) {
    char answers[16];
    int answersLength = snprintf(answers, sizeof answers, "a%d", connection->index);
    appendFormat(&connection->output, "*3\r\n$5\r\nLPUSH\r\n$4\r\nload\r\n$%zu\r\n", length);
    append(&connection->output, message, length);
    appendFormat(
        &connection->output, "\r\n*3\r\n$5\r\nBLPOP\r\n$%d\r\n%s\r\n$1\r\n0\r\n", answersLength, answers);
}

// The answer to the request, and what comes next, in one go.
static void answerRedis(struct Connection *connection, const char *message) {
    char answers[16];
    int length = snprintf(answers, sizeof answers, "a%u", readStamp(message).publisher);
    appendFormat(
        &connection->output,
        "*3\r\n$5\r\nLPUSH\r\n$%d\r\n%s\r\n$1\r\n1\r\n*3\r\n$5\r\nBLPOP\r\n$4\r\nload\r\n$1\r\n0\r\n", length, answers);
}

// Of what was popped (an array of the list's name and what was in it) only the last line says anything.
static void receiveRedisQueueLine(struct Connection *connection, const char *line, size_t length) {
    if (*line == '-') return isRefused(connection, line, length);
    if (connection->role == PUBLISHER) {
        if (length == 2 && *line == '1') isAnswered(connection);
    } else if (length == messageLength + 1) {
        isDelivered(connection, line);
        answerRedis(connection, line);
    }
}

static size_t receiveRedisQueue(struct Connection *connection, const char *bytes, size_t length) {
    return receiveLines(connection, bytes, length, receiveRedisQueueLine);
}

// MARK: - mosquitto: MQTT 3.1.1; published with quality of service 1, which is answered, and delivered with 0

enum { CONNACK = 2, PUBLISH = 3, PUBACK = 4, SUBACK = 9 };

static void appendPacketHead(struct Bytes *output, unsigned char kind, size_t length) {
    append(output, &kind, 1);
    do {
        unsigned char digit = (unsigned char)(length % 128 | (length >= 128 ? 128 : 0));
        append(output, &digit, 1);
        length /= 128;
    } while (length > 0);
}

static void appendMQTTString(struct Bytes *output, const char *string) {
    size_t length = strlen(string);
    unsigned char head[2] = {(unsigned char)(length >> 8), (unsigned char)length};
    append(output, head, 2);
    append(output, string, length);
}

static void greetMosquitto(struct Connection *connection) {
    char name[32];
    char role = connection->role == SUBSCRIBER ? 's' : 'p';
    snprintf(name, sizeof name, "%c%d.%d", role, (int)getpid(), connection->index);
    appendPacketHead(&connection->output, 0x10, 12 + strlen(name));
    appendMQTTString(&connection->output, "MQTT");
    append(&connection->output, "\x04\x02\x00\x00", 4); // Version 4, a clean session, no keep-alive.
    appendMQTTString(&connection->output, name);
    if (connection->role == PUBLISHER) return;
    appendPacketHead(&connection->output, 0x82, 9);
    append(&connection->output, "\x00\x01", 2);
    appendMQTTString(&connection->output, "load");
    append(&connection->output, "\x00", 1);
}

static void publishMosquitto(struct Connection *connection, const char *message, size_t length) {
    uint32_t number = connection->next % 65535 + 1;
    unsigned char identifier[2] = {(unsigned char)(number >> 8), (unsigned char)number};
    appendPacketHead(&connection->output, 0x32, 8 + length);
    appendMQTTString(&connection->output, "load");
    append(&connection->output, identifier, 2);
    append(&connection->output, message, length);
}

// The length of the packet's head, and through `length` of what follows it; 0 when the head is not whole.
static size_t readPacketHead(const unsigned char *bytes, size_t available, size_t *length) {
    *length = 0;
    for (size_t at = 1; at < available && at < 5; at++) {
        *length |= (size_t)(bytes[at] & 127) << 7 * (at - 1);
        if (bytes[at] < 128) return at + 1;
    }
    return 0;
}

static void receivePacket(struct Connection *connection, int kind, const char *body, size_t length) {
    enum { TOPIC_LENGTH = 6 };
    if (kind == PUBLISH && length == TOPIC_LENGTH + messageLength) isDelivered(connection, body + TOPIC_LENGTH);
    else if (kind == PUBACK) isAnswered(connection);
    else if (kind == SUBACK) isReady(connection);
    else if (kind != CONNACK || body[1]) isRefused(connection, body, length);
    else if (connection->role == PUBLISHER) isReady(connection);
}

static size_t receiveMosquitto(struct Connection *connection, const char *bytes, size_t length) {
    size_t at = 0, headLength, bodyLength;
    while ((headLength = readPacketHead((const unsigned char *)bytes + at, length - at, &bodyLength))) {
        if (at + headLength + bodyLength > length) break;
        receivePacket(connection, (unsigned char)bytes[at] >> 4, bytes + at + headLength, bodyLength);
        at += headLength + bodyLength;
    }
    return at;
}

// MARK: -

static const struct Dialect dialects[] = {
    {"limit", 0, greetLimit, publishLimit, receiveLimit},
    {"diffabled", 2, greetDiffabled, publishDiffabled, receiveDiffabled},
    {"diffabled-perform", 2, greetPerforming, perform, receivePerforming},
    {"diffabled-propose", 2, greetProposing, propose, receiveProposing},
    {"redis-queue", 0, greetRedisQueue, askRedis, receiveRedisQueue},
    {"redis", 0, greetRedis, publishRedis, receiveRedis},
    {"redis-durable", 0, greetRedis, publishRedisDurably, receiveRedisDurable},
    {"mosquitto", 0, greetMosquitto, publishMosquitto, receiveMosquitto},
};

const struct Dialect *dialectNamed(const char *name) {
    for (size_t at = 0; at < sizeof dialects / sizeof *dialects; at++)
        if (!strcmp(dialects[at].name, name)) return &dialects[at];
    fail("there is no dialect %s: limit, diffabled, diffabled-perform, diffabled-propose, redis, redis-durable, redis-queue or mosquitto", name);
}
