// The least a server can do that passes each message on to all who subscribed: the limit that others are measured by.
//
//     LimitServer SOCKET
//
// One thread, one epoll. A client that sends the line `S` is a subscriber from then on and is answered `S`. Every
// other line is a message: it goes to all subscribers as it is, and who sent it is answered `+`.
//
// All subscribers are sent the same bytes, so the messages stand once, in a ring, and a subscriber is no more than a
// place in it. The ring is mapped twice, one after the other, so that what wraps around is still one piece. At the end
// of a turn each subscriber gets what came in it with one `send`.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    RING_LENGTH = 1 << 20, // A subscriber that is further behind is cut off. It fits a core's cache.
    LINE_LENGTH_MAX = 64 << 10,
    EVENTS_MAX = 512,
};

struct Client {
    int descriptor;
    bool isSubscriber, isBlocked, isGone;
    unsigned answersDue;
    uint64_t sent;          // Subscribers: up to where in the stream of messages.
    char *unfinished;       // The beginning of a line whose end has not come.
    size_t unfinishedLength;
    struct Client *nextToAnswer, *nextGone;
};

static int poller;
static char *ring;
static uint64_t written;
static struct Client **subscribers, *toAnswer, *gone;
static size_t numberOfSubscribers, capacityForSubscribers;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static char *makeRing(void) {
    int memory = memfd_create("ring", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, RING_LENGTH)) fail("ring");
    char *both = mmap(NULL, 2 * (size_t)RING_LENGTH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED) fail("ring");
    for (int half = 0; half < 2; half++) {
        void *place = both + half * (size_t)RING_LENGTH;
        int mode = PROT_READ | PROT_WRITE;
        if (mmap(place, RING_LENGTH, mode, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED) fail("ring");
    }
    close(memory);
    return both;
}

static void drop(struct Client *client) {
    if (client->isGone) return;
    client->isGone = true;
    close(client->descriptor);
    client->nextGone = gone;
    gone = client;
}

// Frees those who have gone when no event and no list refers to them any more.
static void buryTheGone(void) {
    if (!gone) return;
    size_t left = 0;
    for (size_t at = 0; at < numberOfSubscribers; at++)
        if (!subscribers[at]->isGone) subscribers[left++] = subscribers[at];
    numberOfSubscribers = left;
    while (gone) {
        struct Client *client = gone;
        gone = client->nextGone;
        free(client->unfinished);
        free(client);
    }
}

static void watchForRoom(struct Client *client, bool isBlocked) {
    if (client->isBlocked == isBlocked) return;
    client->isBlocked = isBlocked;
    struct epoll_event event = {.events = EPOLLIN | (isBlocked ? EPOLLOUT : 0), .data.ptr = client};
    if (epoll_ctl(poller, EPOLL_CTL_MOD, client->descriptor, &event)) fail("epoll_ctl");
}

static void sendMessages(struct Client *client) {
    while (client->sent < written) {
        uint64_t length = written - client->sent;
        if (length > RING_LENGTH) return drop(client);
        const char *messages = ring + client->sent % RING_LENGTH;
        ssize_t taken = send(client->descriptor, messages, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken < 0 && errno == EINTR) continue;
        if (taken < 0 && errno == EAGAIN) return watchForRoom(client, true);
        if (taken < 0) return drop(client);
        client->sent += (uint64_t)taken;
    }
    watchForRoom(client, false);
}

static void sendAnswers(struct Client *client) {
    static char answers[4096];
    if (!answers[0])
        for (size_t at = 0; at < sizeof answers; at += 2) memcpy(answers + at, "+\n", 2);
    while (client->answersDue > 0 && !client->isGone) {
        size_t length = 2 * (size_t)client->answersDue;
        if (length > sizeof answers) length = sizeof answers;
        // Who publishes reads the answers: the socket has room for them.
        if (send(client->descriptor, answers, length, MSG_NOSIGNAL) != (ssize_t)length) return drop(client);
        client->answersDue -= (unsigned)(length / 2);
    }
}

static void finishTurn(uint64_t writtenBefore) {
    if (written > writtenBefore)
        for (size_t at = 0; at < numberOfSubscribers; at++)
            if (!subscribers[at]->isBlocked && !subscribers[at]->isGone) sendMessages(subscribers[at]);
    while (toAnswer) {
        struct Client *client = toAnswer;
        toAnswer = client->nextToAnswer;
        sendAnswers(client);
    }
    buryTheGone();
}

static void addSubscriber(struct Client *client) {
    if (numberOfSubscribers == capacityForSubscribers) {
        capacityForSubscribers = capacityForSubscribers ? 2 * capacityForSubscribers : 64;
        subscribers = realloc(subscribers, capacityForSubscribers * sizeof *subscribers);
        if (!subscribers) fail("memory");
    }
    client->isSubscriber = true;
    client->sent = written;
    subscribers[numberOfSubscribers++] = client;
}

static void receiveLine(struct Client *client, const char *line, size_t length) {
    if (length == 2 && line[0] == 'S') {
        if (!client->isSubscriber) addSubscriber(client);
        if (send(client->descriptor, "S\n", 2, MSG_NOSIGNAL) != 2) drop(client);
        return;
    }
    memcpy(ring + written % RING_LENGTH, line, length);
    written += length;
    if (client->answersDue++ == 0) {
        client->nextToAnswer = toAnswer;
        toAnswer = client;
    }
}

static void receive(struct Client *client) {
    static char bytes[LINE_LENGTH_MAX + (256 << 10)];
    size_t before = client->unfinishedLength;
    if (before) memcpy(bytes, client->unfinished, before);
    ssize_t count = recv(client->descriptor, bytes + before, sizeof bytes - before, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return drop(client);
    char *line = bytes, *end = bytes + before + count, *newline;
    while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
        receiveLine(client, line, (size_t)(newline + 1 - line));
        line = newline + 1;
    }
    client->unfinishedLength = (size_t)(end - line);
    if (client->unfinishedLength > LINE_LENGTH_MAX) return drop(client);
    if (!client->unfinishedLength) return;
    if (!client->unfinished && !(client->unfinished = malloc(LINE_LENGTH_MAX))) fail("memory");
    memcpy(client->unfinished, line, client->unfinishedLength);
}

static int listenAt(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "%s: longer than a socket's path may be\n", path);
        exit(2);
    }
    strcpy(address.sun_path, path);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address)) fail(path);
    if (listen(listener, 4096)) fail(path);
    return listener;
}

static void acceptClients(int listener) {
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct Client *client = calloc(1, sizeof *client);
        if (!client) fail("memory");
        client->descriptor = descriptor;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
    }
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: LimitServer SOCKET\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    ring = makeRing();
    poller = epoll_create1(EPOLL_CLOEXEC);
    int listener = listenAt(arguments[1]);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS_MAX];
    if (poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event)) fail("epoll");
    for (;;) {
        int ready = epoll_wait(poller, events, EVENTS_MAX, -1);
        uint64_t writtenBefore = written;
        for (int index = 0; index < ready; index++) {
            struct Client *client = events[index].data.ptr;
            if (!client) {
                acceptClients(listener);
                continue;
            }
            if (!client->isGone && events[index].events & EPOLLOUT) sendMessages(client);
            if (!client->isGone && events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(client);
        }
        finishTurn(writtenBefore);
    }
}
