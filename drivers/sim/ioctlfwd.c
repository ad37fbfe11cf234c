/* Lets an unmodified program use GPIO chips and I2C buses that another process simulates.
 *
 * Loaded with LD_PRELOAD, this library catches open, ioctl, read, readlink and close where they
 * concern /dev/gpiochip*, its entry under /sys and /dev/i2c-*, and sends them to the server whose unix
 * socket (SOCK_SEQPACKET) is named in GPIO_SERVER. Everything else goes straight to the C library.
 * Without GPIO_SERVER the library does nothing at all.
 *
 * A call is one packet: struct header, then the path or the caller's struct. The answer has the same
 * form with the struct filled in; it may carry a file descriptor. A line's descriptor is a socket, so
 * poll, epoll and read on it are the kernel's own. An I2C transfer holds pointers, so its messages are
 * laid one behind the other. packets and structs: gpio_abi.py, i2c_abi.py.
 *
 * Build: gcc -shared -fPIC -O2 -Wall -Wextra -o ioctlfwd.so ioctlfwd.c -ldl -lpthread
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#define DESCRIPTORS 4096 /* a panel has some 200 open; a program with more than this is told EMFILE */
#define BODY_MOST 2048   /* a line request has 592 bytes; I2C messages are cut into pieces of far less */
#define GPIO_IOCTLS 0xB4 /* the `type` byte of all GPIO ioctls */
#define GET_LINE 0xC250B407UL
#define I2C_HEAD 6 /* the first three members of struct i2c_msg: address, flags, length */

enum operation { OP_OPEN = 1, OP_IOCTL = 2, OP_CLOSE = 3, OP_READLINK = 4 };

struct header {
    uint32_t operation;
    uint32_t handle;
    uint64_t request;
    uint32_t length;
    int32_t result;
    int32_t error;
    uint32_t unused;
};

struct packet {
    struct header header;
    char body[BODY_MOST];
};

static int (*real_open)(const char *, int, ...);
static int (*real_open64)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_openat64)(int, const char *, int, ...);
static int (*real_close)(int);
static int (*real_ioctl)(int, unsigned long, ...);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_readlink)(const char *, char *, size_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *server_path;
static int server = -1;              /* the connection of this process */
static pid_t owner;                  /* the process that the connection and the handles belong to */
static uint32_t handles[DESCRIPTORS]; /* the server's number for our descriptors; 0: not ours */

__attribute__((constructor)) static void find_real_functions(void)
{
    if (real_ioctl)
        return;
    real_open = dlsym(RTLD_NEXT, "open");
    real_open64 = dlsym(RTLD_NEXT, "open64");
    real_openat = dlsym(RTLD_NEXT, "openat");
    real_openat64 = dlsym(RTLD_NEXT, "openat64");
    real_close = dlsym(RTLD_NEXT, "close");
    real_read = dlsym(RTLD_NEXT, "read");
    real_readlink = dlsym(RTLD_NEXT, "readlink");
    server_path = getenv("GPIO_SERVER");
    owner = getpid();
    real_ioctl = dlsym(RTLD_NEXT, "ioctl"); /* last: it says that all are known */
}

static int starts_with(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

static int is_chip(const char *path)
{
    return server_path && (starts_with(path, "/dev/gpiochip") || starts_with(path, "/dev/i2c-"));
}

/* A child of fork() must not close its parent's lines: it has handles only after it opens some. */
static uint32_t handle_of(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS && owner == getpid() ? handles[fd] : 0;
}

static int connect_to_server(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (owner != getpid()) {
        memset(handles, 0, sizeof handles);
        owner = getpid();
        server = -1; /* the parent's; closed by exec, left alone until then */
    }
    if (server >= 0)
        return 0;
    strncpy(address.sun_path, server_path, sizeof address.sun_path - 1);
    server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (server >= 0 && connect(server, (struct sockaddr *)&address, sizeof address) == 0)
        return 0;
    if (server >= 0)
        real_close(server);
    server = -1;
    errno = ENODEV;
    return -1;
}

static ssize_t receive_answer(struct packet *packet, int *fd)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {.iov_base = packet, .iov_len = sizeof *packet};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *extra;
    ssize_t got;

    do
        got = recvmsg(server, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    extra = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *fd = -1;
    if (extra && extra->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(extra), sizeof *fd);
    return got;
}

/* Sends `packet` and puts the answer into it. Returns the call's result with errno set, like the call
 * itself; ENODEV when the server is away. A descriptor that came along is in *fd, else -1. */
static int call_server(struct packet *packet, int *fd)
{
    ssize_t got = -1;
    ssize_t size = (ssize_t)(sizeof packet->header + packet->header.length);

    pthread_mutex_lock(&lock);
    *fd = -1;
    if (connect_to_server() == 0 && send(server, packet, (size_t)size, MSG_NOSIGNAL) == size)
        got = receive_answer(packet, fd);
    if (got < (ssize_t)sizeof packet->header && server >= 0) {
        real_close(server);
        server = -1;
    }
    pthread_mutex_unlock(&lock);
    if (got < (ssize_t)sizeof packet->header) {
        errno = ENODEV;
        return -1;
    }
    if (packet->header.result < 0)
        errno = packet->header.error;
    return packet->header.result;
}

/* Notes that `fd` is the server's `handle`. */
static int keep(int fd, uint32_t handle)
{
    if (fd < 0 || fd >= DESCRIPTORS) {
        if (fd >= 0)
            real_close(fd);
        errno = EMFILE;
        return -1;
    }
    handles[fd] = handle;
    return fd;
}

static int call_with_path(enum operation operation, const char *path, struct packet *packet, int *fd)
{
    size_t length = strlen(path) + 1;

    if (length > BODY_MOST) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(&packet->header, 0, sizeof packet->header);
    packet->header.operation = operation;
    packet->header.length = (uint32_t)length;
    memcpy(packet->body, path, length);
    return call_server(packet, fd);
}

static int open_chip(const char *path)
{
    struct packet packet;
    int fd;

    if (call_with_path(OP_OPEN, path, &packet, &fd) < 0)
        return -1;
    return keep(fd, packet.header.handle);
}

/* open() has its mode only where a file may be made; the C library reads it in the same way. */
#define FORWARD_OPEN(real_call)                      \
    mode_t mode = 0;                                 \
    find_real_functions();                           \
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list rest;                                \
        va_start(rest, flags);                       \
        mode = va_arg(rest, mode_t);                 \
        va_end(rest);                                \
    }                                                \
    return is_chip(path) ? open_chip(path) : (real_call)

int open(const char *path, int flags, ...)
{
    FORWARD_OPEN(real_open(path, flags, mode));
}

int open64(const char *path, int flags, ...)
{
    FORWARD_OPEN(real_open64(path, flags, mode));
}

int openat(int folder, const char *path, int flags, ...)
{
    FORWARD_OPEN(real_openat(folder, path, flags, mode));
}

int openat64(int folder, const char *path, int flags, ...)
{
    FORWARD_OPEN(real_openat64(folder, path, flags, mode));
}

int close(int fd)
{
    uint32_t handle;

    find_real_functions();
    handle = handle_of(fd);
    if (handle) {
        struct packet packet = {.header = {.operation = OP_CLOSE, .handle = handle}};
        int none;

        handles[fd] = 0;
        call_server(&packet, &none); /* a server that is away has forgotten the handle */
    }
    return real_close(fd);
}

ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t got;

    find_real_functions();
    got = real_read(fd, buffer, size);
    if (got == 0 && size > 0 && handle_of(fd)) {
        errno = ENODEV; /* the server has closed its end: the chip has vanished */
        return -1;
    }
    return got;
}

ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    struct packet packet;
    size_t length;
    int none;

    find_real_functions();
    if (!server_path || !starts_with(path, "/sys/bus/gpio/devices/gpiochip"))
        return real_readlink(path, buffer, size);
    if (call_with_path(OP_READLINK, path, &packet, &none) < 0)
        return -1;
    length = packet.header.length < size ? packet.header.length : size;
    memcpy(buffer, packet.body, length);
    return (ssize_t)length;
}

/* The struct's size is part of the request's number. */
static int forward_ioctl(uint32_t handle, unsigned long request, void *argument)
{
    struct packet packet = {.header = {.operation = OP_IOCTL, .handle = handle, .request = request}};
    size_t size = _IOC_SIZE(request);
    int result;
    int fd;

    if (size > BODY_MOST) {
        errno = EINVAL;
        return -1;
    }
    packet.header.length = (uint32_t)size;
    memcpy(packet.body, argument, size);
    result = call_server(&packet, &fd);
    if (result < 0)
        return -1;
    memcpy(argument, packet.body, size);
    if (request == GET_LINE) { /* the answer's last member is the new descriptor */
        if (keep(fd, packet.header.handle) < 0)
            return -1;
        memcpy((char *)argument + size - sizeof fd, &fd, sizeof fd);
    }
    return result;
}

static int call_with_request(uint32_t handle, unsigned long request, struct packet *packet, size_t length)
{
    int none;

    memset(&packet->header, 0, sizeof packet->header);
    packet->header.operation = OP_IOCTL;
    packet->header.handle = handle;
    packet->header.request = request;
    packet->header.length = (uint32_t)length;
    return call_server(packet, &none);
}

/* What the bus can do, in an unsigned long. */
static int forward_i2c_functions(uint32_t handle, void *argument)
{
    struct packet packet;
    int result;

    memset(packet.body, 0, sizeof(unsigned long));
    result = call_with_request(handle, I2C_FUNCS, &packet, sizeof(unsigned long));
    if (result >= 0)
        memcpy(argument, packet.body, sizeof(unsigned long));
    return result;
}

/* One transfer: for each message its head, then its bytes; a message that reads is answered in place. */
static int forward_i2c_transfer(uint32_t handle, struct i2c_rdwr_ioctl_data *transfer)
{
    struct packet packet;
    struct i2c_msg *message;
    size_t length = 0;
    int result;

    for (uint32_t place = 0; place < transfer->nmsgs; place++) {
        message = &transfer->msgs[place];
        if (length + I2C_HEAD + message->len > BODY_MOST) {
            errno = EINVAL;
            return -1;
        }
        memcpy(packet.body + length, message, I2C_HEAD); /* address, flags and length stand first */
        memcpy(packet.body + length + I2C_HEAD, message->buf, message->len);
        length += I2C_HEAD + message->len;
    }
    result = call_with_request(handle, I2C_RDWR, &packet, length);
    if (result < 0)
        return -1;
    length = 0;
    for (uint32_t place = 0; place < transfer->nmsgs; place++) {
        message = &transfer->msgs[place];
        if (message->flags & I2C_M_RD)
            memcpy(message->buf, packet.body + length + I2C_HEAD, message->len);
        length += I2C_HEAD + message->len;
    }
    return result;
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    void *argument;
    uint32_t handle;

    va_start(rest, request);
    argument = va_arg(rest, void *);
    va_end(rest);
    find_real_functions();
    request &= 0xFFFFFFFFUL; /* callers pass it as a signed int */
    handle = handle_of(fd);
    if (handle && _IOC_TYPE(request) == GPIO_IOCTLS)
        return forward_ioctl(handle, request, argument);
    if (handle && request == I2C_FUNCS)
        return forward_i2c_functions(handle, argument);
    if (handle && request == I2C_RDWR)
        return forward_i2c_transfer(handle, argument);
    return real_ioctl(fd, request, argument);
}
